/**
 * Says its limit, then fills its heap until V8 or the kernel ends it. Started by `bench.ts` with the load as argument. It is JavaScript and
 * imports the built package, because the compiler that strips types takes 90 MiB of the control group.
 */
import { writeSync } from 'node:fs';
import v8 from 'node:v8';
import { Cgroup } from '@plimsoll/core/internal/sense/cgroup';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import { FloorWatch } from '@plimsoll/leak/internal/floor/floor-watch';
import { describeBinding, limits } from '@plimsoll/core/internal/sense/limits';

const load = process.argv[2] ?? 'objects';
const found = limits({ cgroup: new Cgroup().read(0) });
const { source, endBytes } = found.binding;
const say = (line) => void writeSync(1, `${JSON.stringify(line)}\n`);
say({ source, endBytes, text: describeBinding(found) });

const floors = new FloorWatch(systemClock);
const kept = [];
const map = new Map();
let n = 0;

const fill = {
  // In arrays made at their full length: one that grows would be a large request itself, and would leave holes behind.
  objects: () => {
    const chunk = Array.from({ length: 1000 });
    for (let i = 0; i < chunk.length; i++) chunk[i] = { n: ++n, text: `x${n}` };
    kept.push(chunk);
  },
  arrays: () => {
    kept.push(
      Array.from({ length: 64 * 1024 }, () => 0.5),
      'x'.repeat(256 * 1024) + String(++n),
    );
  },
  map: () => {
    for (let i = 0; i < 1000; i++) map.set(`k${++n}`, { n });
  },
}[load];

// The program rests twice as long as the collector works: under collector load V8 gives up earlier, from 0.80 of old space on.
const bell = new Int32Array(new SharedArrayBuffer(4));
for (let round = 0; ; round++) {
  fill();
  const { pauseMs } = floors.read();
  if (pauseMs > 10) Atomics.wait(bell, 0, 0, 2 * pauseMs);
  if (round % 4 === 0)
    say({
      heapPages: v8.getHeapStatistics().total_heap_size,
      nextTableBytes: floors.floor?.nextTableBytes ?? 0,
    });
}
