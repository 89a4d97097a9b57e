/** A program whose objects live as long as a request, because it holds only a ring of the newest ones. Prints the work of the collector. */
import { collections } from './collections.ts';
import { GenerationWatch } from './generations.ts';

const watch = new GenerationWatch();
const ring: unknown[] = Array.from({ length: 8000 });
const table = Array.from({ length: 40_000 }, (_, i) => ({ i, name: `entry ${i}` }));
const text = JSON.stringify({ role: 'user', turn: 1.5, parts: [1.5, 2.5, 3.5, { done: false }] });
// Made by JSON.parse, because V8 learns which lines allocate long-lived objects and puts those into old space at once.
for (let i = 0; i < 600_000; i++) {
  ring[i % ring.length] = JSON.parse(text);
  if (i % 20_000 === 0) collections.read();
}
collections.read();
process.stdout.write(JSON.stringify({ ...watch.read(), held: table.length }));
watch.stop();
