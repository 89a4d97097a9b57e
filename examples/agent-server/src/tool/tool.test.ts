import { expect, test } from 'vitest';
import { calculate } from './calculator.ts';
import { Corpus } from './corpus.ts';
import { createToolbox } from './toolbox.ts';
import type { ToolContext } from './tool.ts';

const context = (): ToolContext => ({ signal: new AbortController().signal, documents: new Map() });

test.each([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 / 4 - 0.5', 2],
  ['-(2 + 3) * 2', -10],
])('%s is %d', (expression, value) => {
  expect(calculate(expression)).toBe(value);
});

test.each(['', '1 +', '(1', '1 2', 'process.exit()'])(
  '"%s" is refused with the accepted form',
  (expression) => {
    expect(() => calculate(expression)).toThrow('Accepted: numbers, + - * / and ().');
  },
);

test('search finds documents that mention the query, the same ones each time', async () => {
  const tools = createToolbox(new Corpus(1, 4096), 0);
  const first = await tools.get('search')?.execute({ query: 'ballast' }, context());
  expect(await tools.get('search')?.execute({ query: 'ballast' }, context())).toBe(first);
  const found = JSON.parse(first as string) as { id: string; line: string }[];
  expect(found).toHaveLength(8);
  expect(found[0]?.id).toMatch(/^doc-\d+$/);
});

test('documents are big, differ in size, and a session keeps the last six', async () => {
  const tools = createToolbox(new Corpus(1, 16 * 1024), 0);
  const session = context();
  const sizes: number[] = [];
  for (let i = 1; i <= 100; i += 1) {
    sizes.push((await tools.get('fetch_document')?.execute({ id: `doc-${i}` }, session))?.length ?? 0);
  }
  expect(Math.min(...sizes)).toBeGreaterThan(3 * 1024);
  expect(Math.max(...sizes)).toBeGreaterThan(48 * 1024);
  expect([...session.documents.keys()]).toEqual([
    'doc-95',
    'doc-96',
    'doc-97',
    'doc-98',
    'doc-99',
    'doc-100',
  ]);
  expect(await tools.get('fetch_document')?.execute({ id: 'doc-100' }, session)).toBe(
    session.documents.get('doc-100'),
  );
});

test('an abort ends a tool that waits for the outside world', async () => {
  const tools = createToolbox(new Corpus(1, 1024), 60_000);
  const cancel = new AbortController();
  const waiting = tools.get('search')?.execute({ query: 'x' }, { ...context(), signal: cancel.signal });
  cancel.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
