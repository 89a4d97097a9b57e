// Live heap of one framework over many calls: the floor after each fifth of them.
import { makers } from './call-makers.mjs';
import { floor, waitFor } from './scopes.mjs';

const [name] = process.argv.slice(2);
const calls = Number(process.env.CALLS ?? 10_000);
await waitFor(name);
await new Promise((done) => setTimeout(done, 3000));
const call = await makers[name]('call');
const floors = [];
for (let part = 0; part < 5; part += 1) {
  for (let i = 0; i < calls / 5; i += 1) await call();
  floors.push(await floor());
}
console.log(JSON.stringify({ calls, floors }));
process.exit(0);
