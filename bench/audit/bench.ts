/**
 * What an audit costs: loops that do nothing but attach and let go, each with the audit off and on in turns, and a turn of an agent
 * with the few listeners and timers a turn has. The ratio is CPU time with the audit over without.
 */
import { EventEmitter } from 'node:events';
import { Audit } from '../../packages/leak/src/audit/audit.ts';
import { open } from '../../packages/core/src/scope/index.ts';
import type { Benchmark } from '../row.ts';
import { row } from '../row.ts';

interface Load {
  readonly name: string;
  readonly times: number;
  /** Largest ratio that is still worth an audit; null where only the figure is of interest. */
  readonly atMost: number | null;
  readonly turn: (i: number) => unknown;
}

const bus = new EventEmitter().setMaxListeners(0);
const { signal } = new AbortController();

const loads: readonly Load[] = [
  { name: 'listener on an EventEmitter, added and removed', times: 400_000, atMost: 2, turn: emitterTurn },
  { name: 'listener on an AbortSignal, added and removed', times: 100_000, atMost: 2, turn: signalTurn },
  { name: 'interval, made and cleared', times: 100_000, atMost: 2, turn: intervalTurn },
  { name: 'short timeout, made and cleared', times: 200_000, atMost: 1.5, turn: timeoutTurn },
  {
    name: 'turn of 14 µs with 4 listeners, 2 timers and 20 awaits',
    times: 20_000,
    atMost: 1.2,
    turn: agentTurn,
  },
];

function emitterTurn(i: number): void {
  const listener = (): number => i;
  bus.on('token', listener);
  bus.off('token', listener);
}

function signalTurn(i: number): void {
  const listener = (): number => i;
  signal.addEventListener('abort', listener);
  signal.removeEventListener('abort', listener);
}

function intervalTurn(): void {
  clearInterval(setInterval(noop, 60_000));
}

function timeoutTurn(): void {
  clearTimeout(setTimeout(noop, 50));
}

async function agentTurn(i: number): Promise<void> {
  const scope = open('turn', String(i % 100));
  await scope.run(async () => {
    for (let k = 0; k < 2; k++) {
      emitterTurn(i);
      signalTurn(i);
      timeoutTurn();
    }
    let text = '';
    for (let k = 0; k < 20; k++) {
      await Promise.resolve();
      text += JSON.stringify({ delta: `token ${k}`, index: i, role: 'assistant' });
    }
    return JSON.parse(`[${text.replaceAll('}{', '},{')}]`) as unknown;
  });
  await scope.close();
}

function noop(): void {
  // A timer needs something to call.
}

/** CPU time of one block in µs per turn. */
async function block({ turn, times }: Load, part: number): Promise<number> {
  const count = Math.round(times * part);
  const start = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    const result = turn(i);
    if (result instanceof Promise) await result;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

const benchmark: Benchmark = async ({ quick, log }) => {
  const rows = [];
  const repeats = quick ? 5 : 21;
  const part = quick ? 0.1 : 1;
  for (const load of loads) {
    const off: number[] = [];
    const on: number[] = [];
    // One audit for all blocks: its stacks per second are what bounds it, and a new one would have them all at once.
    const audit = new Audit({ isOwn: () => false });
    for (let i = 0; i < repeats + 2; i++) {
      // The order changes from pair to pair, so that neither side always meets the other's garbage.
      for (const isOn of i % 2 === 0 ? [false, true] : [true, false]) {
        if (isOn) audit.start();
        const us = await block(load, part);
        if (isOn) {
          audit.look(i, { open: 1, opened: 100 });
          audit.stop();
        }
        if (i >= 2) (isOn ? on : off).push(us);
      }
    }
    log(load.name);
    rows.push(
      row({
        metric: load.name,
        unit: 'µs',
        samples: on,
        peer: { name: 'without the audit', samples: off },
        ...(load.atMost !== null && { goal: { atMost: load.atMost } }),
      }),
    );
  }
  return rows;
};

export default benchmark;
