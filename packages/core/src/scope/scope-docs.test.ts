import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../../../', import.meta.url);
const page = readFileSync(new URL('docs/guides/scopes.md', root), 'utf8');
const examples = [...page.matchAll(/## ([^\n]+)\n(?:(?!\n## )[^])*?```ts\n([^]*?)```/g)];

test('every example of the page is found', () => {
  expect(examples.map(([, title]) => title)).toEqual([
    'Open, run, close',
    'Own resources',
    'The signal of a scope',
    'Charge',
    'Objects that must be gone',
  ]);
});

test.each(examples.map(([, title, code]) => [title as string, code as string]))(
  'the example of "%s" prints what its comments say',
  (_, code) => {
    const args = ['--conditions=plimsoll-source', '--input-type=module-typescript', '-e', code];
    const run = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect(run.stderr).toBe('');
    const words = run.stdout
      .split(/[\s,{}':]+/)
      .filter((word) => word !== '' && word !== 'label' && word !== 'bytes');
    const comments = [...code.matchAll(/\/\/ (.*)/g)].map((match) => match[1]).join(' ');
    expect(words.filter((word) => !comments.includes(word))).toEqual([]);
    expect(run.status).toBe(0);
  },
);
