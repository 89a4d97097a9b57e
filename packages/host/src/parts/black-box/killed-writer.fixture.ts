/** Writes a black box as fast as it can until it is killed. Prints its process number when the first round is full. */
import { slots } from '../../protocol/black-box.ts';
import { BoxWriter } from './box-writer.ts';

const writer = new BoxWriter(process.argv[2] as string, process.pid);
writer.write({
  kind: 'start',
  at: 0,
  pid: process.pid,
  node: process.version,
  target: 'writer',
  heapLimit: 1,
});
for (let at = 1; ; at++) {
  const text = `incident ${at} `.repeat(1 + (at % 40));
  writer.write({ kind: 'exit', at, code: 0, reason: text, frames: [] });
  if (at === slots) process.stdout.write(String(process.pid));
}
