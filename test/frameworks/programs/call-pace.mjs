// Calls one framework in blocks that the benchmark asks for, with its adapter (`on`) or without it (`off`), and answers with the CPU time of
// each block. The adapter is connected or not for the whole life of the process, as in a server: connecting it changes the classes of the
// framework, and V8 then throws away the code that it had compiled for them.
import { makers } from './call-makers.mjs';
import { waitFor } from './scopes.mjs';

const [name, load, variant] = process.argv.slice(2);

await waitFor(name);
if (variant !== 'on') globalThis[Symbol.for('plimsoll.slots.v1')].frameworks.connected.get(name)();
const call = await makers[name](load);

process.on('message', async (count) => {
  const before = process.cpuUsage();
  for (let i = 0; i < count; i += 1) await call();
  const { user, system } = process.cpuUsage(before);
  process.send((user + system) / count);
});
process.once('disconnect', () => process.exit(0));
process.send('ready');
