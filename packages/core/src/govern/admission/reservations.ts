/**
 * Bytes promised at shed points that no reading has shown yet.
 *
 * A promise is kept for one to two windows of time: by then its bytes are allocated and in the readings, or they never came. So nobody has to
 * give a reservation back, and one that is forgotten harms nothing.
 */
export class Reservations {
  private readonly windowMs: number;
  private recent = 0;
  private older = 0;
  private turnAt = 0;

  constructor(windowMs = 2000) {
    this.windowMs = windowMs;
  }

  bytes(nowMs: number): number {
    this.turn(nowMs);
    return this.recent + this.older;
  }

  add(nowMs: number, bytes: number): void {
    this.turn(nowMs);
    this.recent += bytes;
  }

  clear(): void {
    this.recent = 0;
    this.older = 0;
  }

  private turn(nowMs: number): void {
    if (nowMs < this.turnAt) return;
    this.older = nowMs < this.turnAt + this.windowMs ? this.recent : 0;
    this.recent = 0;
    this.turnAt = nowMs + this.windowMs;
  }
}
