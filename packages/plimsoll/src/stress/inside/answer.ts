import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { InsideAsk } from './protocol.ts';

/** Answers line by line; a failure is an answer too. */
export function answer(
  socket: Socket,
  say: (value: unknown) => void,
  work: (ask: InsideAsk) => Promise<unknown>,
): void {
  const lines = createInterface({ input: socket });
  lines.on('error', () => undefined);
  lines.on('line', (line) => {
    const { id, ...ask } = JSON.parse(line) as InsideAsk & { id: number };
    work(ask as InsideAsk).then(
      (value) => say({ id, value }),
      (error: unknown) => say({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
