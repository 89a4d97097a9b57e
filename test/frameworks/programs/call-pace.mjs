// CPU time per call of one framework with its adapter and without, in blocks that take turns in one process. The calls without the adapter
// are measured twice, so that the noise of the machine is seen beside the difference.
import { makers } from './call-makers.mjs';
import { waitFor } from './scopes.mjs';

const [name, load] = process.argv.slice(2);
const seconds = Number(process.env.FOR_SECONDS ?? 10);
const blockMs = Number(process.env.BLOCK_MS ?? 60);
const variants = ['off', 'on', 'again'];

await waitFor(name);
// The host loads its parts in the first seconds. That is start-up and not the cost of a call.
await new Promise((done) => setTimeout(done, 3000));
const { connected } = globalThis[Symbol.for('plimsoll.slots.v1')].frameworks;
const { plimsoll } = await import(`@plimsoll/adapters/${name}`);

function turn(variant) {
  if (variant === 'on') plimsoll();
  else connected.get(name)?.();
}

const calls = {};
for (const variant of variants) {
  turn(variant);
  calls[variant] = await makers[name](load);
}

async function block(variant, count) {
  turn(variant);
  const call = calls[variant];
  const cpu = process.cpuUsage();
  for (let i = 0; i < count; i += 1) await call();
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1000 / count;
}

// Compiled by V8 in every variant before anything is measured.
const warm = Date.now() + seconds * 300;
let msPerCall = 1;
for (let count = 20; Date.now() < warm; count = Math.max(1, Math.round(blockMs / msPerCall)))
  for (const variant of variants) msPerCall = await block(variant, count);

const count = Math.max(1, Math.round(blockMs / msPerCall));
const figures = Object.fromEntries(variants.map((variant) => [variant, []]));
const end = Date.now() + seconds * 1000;
// All orders in turns, because a block may pay for what the one before it left to the collector.
const orders = [0, 1, 2].flatMap((first) => [
  [first, (first + 1) % 3, (first + 2) % 3],
  [first, (first + 2) % 3, (first + 1) % 3],
]);
for (let round = 0; Date.now() < end || round % orders.length !== 0; round += 1)
  for (const i of orders[round % orders.length]) figures[variants[i]].push(await block(variants[i], count));
console.log(JSON.stringify({ count, figures }));
process.exit(0);
