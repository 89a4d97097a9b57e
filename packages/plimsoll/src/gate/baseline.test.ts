import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBaseline, writeBaseline } from './baseline.ts';

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-baseline-'));
const file = join(dir, 'main.json');
const figures = { calls: 100, bytesPerCall: null, liveBytes: 1, peakBytes: 2 };

test('a baseline is read as it was written, with its newest runs', () => {
  expect(readBaseline(file)).toBeUndefined();
  writeBaseline(
    file,
    'npm run load',
    Array.from({ length: 30 }, (_, i) => ({ ...figures, calls: i })),
  );
  expect(readBaseline(file)).toMatchObject({ command: 'npm run load', node: process.version });
  expect(readBaseline(file)?.runs.map(({ calls }) => calls)).toEqual(
    Array.from({ length: 24 }, (_, i) => i + 6),
  );
});

test.each([
  ['no JSON', '{', 'PLM_GATE_BAD_BASELINE'],
  ['no runs', '{}', 'it has no list "runs" with figures'],
  ['runs that are none', '{"runs":[null]}', 'it has no list "runs" with figures'],
  ['figures that are none', '{"runs":[{"calls":"5"}]}', 'it has no list "runs" with figures'],
])('%s is refused with the file', (_, text, why) => {
  writeFileSync(file, text);
  expect(() => readBaseline(file)).toThrow(
    expect.objectContaining({ code: 'PLM_GATE_BAD_BASELINE' }) as Error,
  );
  expect(() => readBaseline(file)).toThrow(why === 'PLM_GATE_BAD_BASELINE' ? file : why);
});

test('a folder is no baseline, and where none can be written that is said', () => {
  expect(() => readBaseline(dir)).toThrow(
    expect.objectContaining({ code: 'PLM_GATE_BAD_BASELINE' }) as Error,
  );
  expect(() => writeBaseline(join(dir, 'nowhere/main.json'), 'x', [])).toThrow(
    expect.objectContaining({ code: 'PLM_CLI_CANNOT_WRITE' }) as Error,
  );
});
