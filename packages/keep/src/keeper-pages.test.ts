import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const pages = [
  'replay-buffer',
  'delegation-breaker',
  'conversation-window',
  'output-bag',
  'event-sink',
  'weak-registry',
  'pool',
];
const examples = pages.flatMap((page) => {
  const source = readFileSync(new URL(`docs/reference/keepers/${page}.md`, root), 'utf8');
  return [...source.matchAll(/```ts\n([^]*?)```/g)].map(
    (match, i) => [`${page} ${i + 1}`, match[1] as string] as const,
  );
});

test.each(pages)('the page of %s says first what it cannot do and has an example', (page) => {
  const source = readFileSync(new URL(`docs/reference/keepers/${page}.md`, root), 'utf8');
  expect([...source.matchAll(/^## (.+)$/gm)].map((match) => match[1])).toEqual([
    'What it cannot do',
    'What it promises',
    'Example',
  ]);
  expect(examples.some(([name]) => name.startsWith(page))).toBe(true);
});

test.concurrent.each(examples)('the example %s prints what its comments say', async (_, code) => {
  const args = ['--conditions=plimsoll-source', '--input-type=module-typescript', '-e', code];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(complaints).toBe('');
  const expected = [...code.matchAll(/console\.log\(.*\/\/ (.*)/g)].map((match) =>
    (match[1] as string).trim(),
  );
  expect(printed.trim().split('\n')).toEqual(expected);
});
