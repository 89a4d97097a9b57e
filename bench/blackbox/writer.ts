/** Writes a black box as fast as it can until it is killed, and after each record its number into a second file. Argument: folder. */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BoxWriter } from '@plimsoll/host/internal/parts/black-box/box-writer';

const dir = process.argv[2] as string;
const writer = new BoxWriter(dir, process.pid);
writer.write({
  kind: 'start',
  at: 0,
  pid: process.pid,
  node: process.version,
  target: 'writer',
  heapLimit: 1,
});
const counter = openSync(join(dir, `count-${process.pid}`), 'w', 0o600);
const bytes = Buffer.alloc(8);
for (let at = 1; ; at++) {
  // Records of every length, so that a kill can cut any byte.
  const reason = 'x'.repeat((at * 37) % 700);
  writer.write({ kind: 'exit', at, code: 0, reason, frames: [] });
  bytes.writeDoubleLE(at);
  writeSync(counter, bytes, 0, 8, 0);
  if (at === 1) process.stdout.write('1');
}
