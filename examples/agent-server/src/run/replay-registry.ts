import type { Leaks } from '../leak.ts';
import type { ReplayBuffer } from './replay-buffer.ts';

/** Where a late reader finds a run by its address alone: every replay buffer of the process under "session/run". */
export class ReplayRegistry {
  readonly buffers = new Map<string, ReplayBuffer>();
  readonly #leaks: Leaks;

  constructor(leaks: Leaks) {
    this.#leaks = leaks;
  }

  add(session: string, run: number, buffer: ReplayBuffer): void {
    this.buffers.set(`${session}/${run}`, buffer);
  }

  find(session: string, run: number): ReplayBuffer | undefined {
    return this.buffers.get(`${session}/${run}`);
  }

  release(session: string, run: number): void {
    // Planted leak: "somebody may still want to read it", so the buffer of every run there ever was stays.
    if (this.#leaks.has('replay-buffer')) return;
    const key = `${session}/${run}`;
    this.buffers.get(key)?.release();
    this.buffers.delete(key);
  }
}
