import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, run } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

test.each([
  ['express-4.cjs', 7],
  ['esm.mjs', 3],
])(
  '%s runs under the adapters as it does alone: same output, same exit code, no warning',
  async (program, code) => {
    const alone = await run(program, { isGoverned: false });
    const governed = await run(program);
    expect(alone.code).toBe(code);
    expect(governed).toEqual(alone);
  },
);
