/**
 * Holds so many open scopes with a small root each and prints what 15 idle seconds took: `node idle-scopes.mjs COUNT CORE cpu|turns`.
 * The longest turn needs a timer, which takes ten times the CPU of the host, so that one run measures one of the two.
 */
import { setTimeout as wait } from 'node:timers/promises';

const [, , count, core, what] = process.argv;
const { open } = await import(core);
const ms = ({ user, system }) => (user + system) / 1000;
const kept = Array.from({ length: Number(count) }, (_, i) => {
  const history = Array.from({ length: 6 }, (__, turn) => ({
    role: 'user',
    content: `turn ${turn} of ${i}`,
  }));
  const facts = new Map([
    [1, { a: i }],
    [2, { b: i }],
  ]);
  return open('session', String(i), { root: { id: i, history, facts }, budget: 1024 ** 2 });
});

await wait(5000);
let longestMs = 0;
let before = ms(process.threadCpuUsage());
if (what === 'turns') {
  setInterval(() => {
    const now = ms(process.threadCpuUsage());
    longestMs = Math.max(longestMs, now - before);
    before = ms(process.threadCpuUsage());
  }, 5);
}
const began = performance.now();
const cpu = process.cpuUsage();
await wait(15_000);
const seconds = (performance.now() - began) / 1000;
const perSecond = ms(process.cpuUsage(cpu)) / seconds;
process.stdout.write(JSON.stringify({ perSecond, longestMs, open: kept.length }), () => process.exit());
