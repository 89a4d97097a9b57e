/** A process with a heap of one shape that predicts the cost of a snapshot, takes it, and prints both: `node shape.ts NAME SCALE`. */
import { EventEmitter } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { captureToFile, predictCapture } from '@plimsoll/heap/capture';

class AgentSession {
  readonly id: string;
  readonly history = new Map<number, unknown>();
  readonly emitter = new EventEmitter();
  readonly pending = new Promise<void>(() => {});

  constructor(i: number) {
    this.id = `sess-${i}`;
    this.emitter.on('end', () => this.id);
    for (let k = 0; k < 20; k++) {
      this.history.set(k, {
        role: k % 2 === 0 ? 'user' : 'assistant',
        content: `message ${i} ${k} ${Math.random()}`.repeat(4),
        tool: { name: 'search', args: { query: `q${i}-${k}`, limit: k }, result: [k, { ok: true }] },
      });
    }
  }
}

const times = <Value>(count: number, make: (i: number) => Value): Value[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** The heap shapes whose costs differ most. */
export const shapes: Readonly<Record<string, (scale: number) => unknown>> = {
  agent: (scale) => times(6000 * scale, (i) => new AgentSession(i)),
  tiny: (scale) => times(700_000 * scale, (i) => ({ a: i, b: i + 1 })),
  strings: (scale) =>
    times(12_000 * scale, (i) => Buffer.alloc(10_000, 97 + (i % 26)).toString('latin1') + String(i)).map(
      (text) => Buffer.from(text).toString('latin1'),
    ),
  doubles: (scale) => times(1200 * scale, () => times(12_000, (k) => k + 0.5)),
  maps: (scale) => times(14_000 * scale, () => new Map(times(50, (k) => [`k${k}`, { v: k }] as const))),
  closures: (scale) => times(400_000 * scale, (i) => () => i),
  buffers: (scale) => times(60_000 * scale, () => new Uint8Array(4096)),
};

if (import.meta.main) {
  const [name = 'agent', scale = '1'] = process.argv.slice(2);
  const kept = shapes[name]?.(Number(scale));
  globalThis.gc?.();
  globalThis.gc?.();
  await new Promise((next) => setTimeout(next, 50));
  // Starts the kernel's record of the highest resident size anew.
  writeFileSync('/proc/self/clear_refs', '5');
  const rss = process.memoryUsage.rss();
  const tight = (): { freeBytes: number; limitBytes: number; binds: 'host' } => ({
    freeBytes: 1,
    limitBytes: 1,
    binds: 'host',
  });
  const prediction = await predictCapture({ memory: tight });
  const file = join(tmpdir(), `plimsoll-capture-${process.pid}.heapsnapshot`);
  const result = await captureToFile(file, { force: true });
  rmSync(file);
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
  process.stdout.write(
    JSON.stringify({
      objects: prediction.objects,
      rss,
      predictedPeak: rss + prediction.neededBytes,
      peak,
      predictedStopMs: prediction.stopMs,
      stopMs: Math.round(result.stopMs),
      kept: Array.isArray(kept) ? kept.length : 0,
    }),
  );
}
