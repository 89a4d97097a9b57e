import { expect, test } from 'vitest';
import { cyclesOf, edgesOf, upwardOf } from './folder-graph.ts';

const tree: Readonly<Record<string, string>> = {
  'packages/core/src/a/one.ts': "import { two } from '../b/two.ts';",
  'packages/core/src/b/two.ts':
    "import type { One } from '../a/one.ts';\nexport { three } from '../b/inner/three.ts';",
  'packages/core/src/b/inner/three.ts': "import { two } from '../two.ts';",
  'packages/leak/src/judge/judge.ts': "import { open } from '@plimsoll/core';\nimport x from 'node:fs';",
};
const read = (files: Readonly<Record<string, string>>) =>
  edgesOf(Object.keys(files), (file) => files[file] ?? '');

test('type imports and a folder inside another make no cycle', () => {
  expect(cyclesOf(read(tree))).toEqual([]);
  expect(upwardOf(read(tree))).toEqual([]);
});

test('two folders that import each other are a cycle', () => {
  const files = { ...tree, 'packages/core/src/b/two.ts': "import { one } from '../a/one.ts';" };
  expect(cyclesOf(read(files)).map((group) => [...group].sort())).toEqual([
    ['packages/core/src/a', 'packages/core/src/b'],
  ]);
});

test('an import of a package further down is upward, also of a type and by its internal path', () => {
  const files = {
    ...tree,
    'packages/core/src/a/one.ts': "import type { Host } from '@plimsoll/host/internal/host';",
  };
  expect(upwardOf(read(files)).map(({ file, to }) => [file, to])).toEqual([
    ['packages/core/src/a/one.ts', 'packages/host/src'],
  ]);
});
