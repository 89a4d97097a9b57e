import { expect, test } from 'vitest';
import { cyclesOf, edgesOf, pastProtocol, forbiddenOf } from './folder-graph.ts';

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
  expect(forbiddenOf(read(tree))).toEqual([]);
});

test('two folders that import each other are a cycle', () => {
  const files = { ...tree, 'packages/core/src/b/two.ts': "import { one } from '../a/one.ts';" };
  expect(cyclesOf(read(files)).map((group) => [...group].sort())).toEqual([
    ['packages/core/src/a', 'packages/core/src/b'],
  ]);
});

test('an import that the table does not allow is forbidden, also of a type and by its internal path', () => {
  const files = {
    ...tree,
    'packages/core/src/a/one.ts': "import type { Host } from '@plimsoll/host/internal/host';",
  };
  expect(forbiddenOf(read(files)).map(({ file, to }) => [file, to])).toEqual([
    ['packages/core/src/a/one.ts', 'packages/host/src'],
  ]);
});

test('a room that is closed to another room of its package must not import it', () => {
  const files = {
    'packages/core/src/scope/scope.ts': "import { sample } from '../sense/sampler.ts';",
    'packages/core/src/sense/sampler.ts': "import { open } from '../scope/scope.ts';",
  };
  expect(forbiddenOf(read(files)).map(({ file }) => file)).toEqual(['packages/core/src/scope/scope.ts']);
});

test('the operator side and the page reach the host by its protocol only, also for a type', () => {
  const files = {
    'packages/plimsoll/src/autopsy/cause.ts': [
      "import type { BlackBox } from '@plimsoll/host/protocol/death';",
      "import { ask } from '@plimsoll/host/protocol';",
      "import type { FatalReport } from '@plimsoll/host/internal/protocol/death';",
    ].join('\n'),
    'apps/dashboard/src/app.ts': "import { text } from '../../../packages/host/src/protocol/text.ts';",
    'packages/host/src/host.ts': "import { ask } from './protocol/control.ts';",
  };
  expect(pastProtocol(read(files)).map(({ file, specifier }) => [file, specifier])).toEqual([
    ['packages/plimsoll/src/autopsy/cause.ts', '@plimsoll/host/internal/protocol/death'],
    ['apps/dashboard/src/app.ts', '../../../packages/host/src/protocol/text.ts'],
  ]);
});
