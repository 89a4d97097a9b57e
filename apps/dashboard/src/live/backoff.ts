const firstMs = 500;
const mostMs = 10_000;

/** How long to wait before the next attempt to connect; `attempt` counts from 0. A little chance keeps many pages from knocking at once. */
export function retryDelayMs(attempt: number, chance: number = Math.random()): number {
  return Math.round(Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 10)) * (0.75 + chance / 2));
}
