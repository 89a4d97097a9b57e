import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Ask } from './protocol.ts';

/** Answers line by line; a failure is an answer too. */
export function answer(
  socket: Socket,
  say: (value: unknown) => void,
  work: (ask: Ask) => Promise<unknown>,
): void {
  const lines = createInterface({ input: socket });
  lines.on('error', () => undefined);
  lines.on('line', (line) => {
    const { id, ...ask } = JSON.parse(line) as Ask & { id: number };
    work(ask as Ask).then(
      (value) => say({ id, value }),
      (error: unknown) => say({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
