/** A server with a Map capped at 500 that answers for 45 s and is full after a fifth of that, from start to verdict. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plimsoll, workFolder } from './plimsoll.ts';

const server = `
import { createServer, request } from 'node:http';
const cache = new Map();
let served = 0;
const server = createServer((req, res) => {
  const key = 'page ' + served++;
  cache.set(key, { key, rows: Array.from({ length: 120 }, (_, i) => ({ i, text: ['row', i, key].join(' ') })) });
  if (cache.size > 500) cache.delete(cache.keys().next().value);
  res.end('ok');
});
server.listen(0, () => {
  const { port } = server.address();
  const timer = setInterval(() => request({ port }, (res) => res.resume()).on('error', () => {}).end(), 18);
  setTimeout(() => { clearInterval(timer); server.close(); server.closeAllConnections(); }, 45_000);
});
`;

test('a server with a bounded cache is not accused', { timeout: 240_000 }, async () => {
  const dir = workFolder({ 'server.mjs': server });
  await plimsoll(['run', '--report', 'out.json', '--', 'node', 'server.mjs'], dir).ended;
  const { verdict, findings } = JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8')) as {
    readonly verdict: string;
    readonly findings: readonly { readonly severity: string }[];
  };
  expect(verdict).not.toBe('leak');
  expect(findings.filter(({ severity }) => severity !== 'info' && severity !== 'low')).toEqual([]);
});
