import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Faults } from './faults.ts';
import { measure, snapshot } from './measure.ts';
import type { InsideAsk } from './protocol.ts';

/** Requests only for a process that runs a module. */
type ModuleAsk = Exclude<InsideAsk, { readonly op: 'measure' | 'fault' | 'mend' | 'snapshot' }>;

/** Answers line by line. A failure is an answer too. Requests for modules go to `work`. */
export function answer(
  socket: Socket,
  say: (value: unknown) => void,
  work: (ask: ModuleAsk) => Promise<unknown>,
): void {
  const faults = new Faults();
  const lines = createInterface({ input: socket });
  lines.on('error', () => undefined);
  lines.on('line', (line) => {
    const { id, ...ask } = JSON.parse(line) as InsideAsk & { id: number };
    answered(ask as InsideAsk, faults, work).then(
      (value) => say({ id, value }),
      (error: unknown) => say({ id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
}

async function answered(
  ask: InsideAsk,
  faults: Faults,
  work: (ask: ModuleAsk) => Promise<unknown>,
): Promise<unknown> {
  switch (ask.op) {
    case 'measure':
      return measure();
    case 'fault':
      faults.begin(ask.name);
      return true;
    case 'mend':
      return faults.mend();
    case 'snapshot':
      return snapshot(ask.file);
    default:
      return work(ask);
  }
}
