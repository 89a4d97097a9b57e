import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { freedBetween } from '../../bench/adapters/freed.ts';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

// The truth is what a heap snapshot has lost when the session has ended. These three copy what they are given, and keep it in functions that
// wait; `npm run bench -- adapters bytes` measures all five, in more shapes.
test('sessions at once are each said to hold what their end sets free, within a fifth', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-bytes-'));
  const names = ['ai', 'mastra', 'openai-agents'];
  const said = await result<Record<string, { bytes: readonly number[]; snapshots: readonly string[] }>>(
    'session-bytes.mjs',
    { args: [names.join()], env: { SNAPSHOTS: folder, SEED: '17' } },
  );
  const { bytes, snapshots } = said[names.join()] ?? { bytes: [], snapshots: [] };
  const freed = freedBetween(snapshots);
  rmSync(folder, { recursive: true });
  expect(freed).toHaveLength(names.length);
  const ratios = freed.map((each, i) => (bytes[i] as number) / each);
  for (const [i, name] of names.entries()) {
    expect(ratios[i], name).toBeGreaterThan(0.8);
    expect(ratios[i], name).toBeLessThan(1.2);
  }
});
