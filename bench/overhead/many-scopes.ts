/** Holds so many open scopes with a small root each, serves nothing and lives until it is ended: `node many-scopes.ts 5000`. */
import { open } from '@plimsoll/core';

const count = Number(process.argv[2]);
const kept = Array.from({ length: count }, (_, i) => {
  const history = Array.from({ length: 6 }, (_each, turn) => ({
    role: 'user',
    content: `turn ${turn} of ${i}`,
  }));
  return open('session', String(i), { root: { id: i, history }, budget: 1024 ** 2 });
});
// One in a hundred is used each second, as sessions are.
setInterval(() => {
  for (let i = Date.now() % 100; i < count; i += 100) kept[i]?.touch();
}, 1000);
process.once('SIGTERM', () => process.exit());
