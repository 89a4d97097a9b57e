import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { open } from '../opened-snapshot.ts';
import { captureStream, captureToFile } from './capture.ts';
import { admitCapture, predictCapture } from './guard.ts';
import { countObjects, estimateObjects, longestArray } from './object-count.ts';
import type { FreeMemory } from './free-memory.ts';

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-capture-'));
const free = (freeBytes: number) => (): FreeMemory => ({ freeBytes, limitBytes: 2 ** 31, binds: 'cgroup' });
const plenty = free(2 ** 40);
const codeOf = (error: unknown): string => (error as { code: string }).code;

class Planted {
  readonly mark = 1;
}

test('the estimate takes all but large objects for small, and large ones for arrays', () => {
  const space = (name: string, used: number) => ({
    space_name: name,
    space_size: used,
    space_used_size: used,
    space_available_size: 0,
    physical_space_size: used,
  });
  const spaces = [
    space('old_space', 3_600_000),
    space('large_object_space', 14_000_000),
    space('code_large_object_space', 1e9),
  ];
  expect(estimateObjects(spaces)).toEqual({ objects: 100_000, exact: false, ms: 0 });
  expect(longestArray(spaces)).toBe(1_000_000);
  expect(longestArray([])).toBe(16_000);
});

test('counting finds the objects there are', async () => {
  const before = await countObjects();
  const kept = Array.from({ length: 50_000 }, () => new Planted());
  const after = await countObjects();
  expect(before.exact).toBe(true);
  expect(after.objects - before.objects).toBeGreaterThan(49_000);
  expect(after.objects - before.objects).toBeLessThan(80_000);
  expect(kept).toHaveLength(50_000);
});

test('with room to spare nothing is counted', async () => {
  expect(await predictCapture({ memory: plenty })).toMatchObject({
    exact: false,
    fits: true,
    binds: 'cgroup',
  });
});

test('in a tight place the objects are counted and the snapshot is refused with the numbers', async () => {
  const error = await captureToFile(join(dir, 'refused.heapsnapshot'), { memory: free(50_000_000) }).catch(
    (thrown: unknown) => thrown,
  );
  expect(codeOf(error)).toBe('PLM_HEAP_CAPTURE_REFUSED');
  expect(String(error).replaceAll(/[\d.,]+ (?=objects|[KMG]iB|m?s\b)/g, '# ')).toMatchInlineSnapshot(`
    "PLM_HEAP_CAPTURE_REFUSED: a snapshot of about # objects would need # MiB and stop the process for about # ms; # MiB are free under the cgroup limit of # GiB.
      at:  capture guard
      fix: take the snapshot on an instance with more memory, release memory first, or pass { force: true } to accept the risk of the process being killed."
  `);
  expect(readdirSync(dir)).toEqual([]);
});

test('a stop that is too long is refused', async () => {
  const refused = admitCapture({ memory: plenty, maxStopMs: 1 });
  await expect(refused).rejects.toMatchObject({ code: 'PLM_HEAP_CAPTURE_PAUSE' });
});

test('the owner is asked instead, and only a timely yes is one', async () => {
  const asked = (ask: () => boolean | Promise<boolean>): Promise<unknown> =>
    admitCapture({ memory: free(1), ask, askTimeoutMs: 20 }).then(
      () => 'taken',
      (error: unknown) => (error as Error).message,
    );
  expect(await asked(() => true)).toBe('taken');
  expect(await asked(() => false)).toBe('the snapshot was not taken: the answer was no.');
  expect(await asked(() => Promise.reject(new Error('phone is off')))).toBe(
    'the snapshot was not taken: the question failed: phone is off.',
  );
  expect(await asked(() => new Promise<boolean>(() => {}))).toBe(
    'the snapshot was not taken: no answer within 20 ms.',
  );
});

test('force takes it all the same, into a private file that appears when it is whole', async () => {
  const file = join(dir, 'forced.heapsnapshot');
  writeFileSync(`${file}.partial`, 'left over');
  const result = await captureToFile(file, { memory: free(1), force: true });
  expect(result).toMatchObject({ file, fileBytes: statSync(file).size, prediction: { fits: false } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(result.totalMs).toBeGreaterThanOrEqual(result.stopMs);
  await expect(captureToFile(join(dir, 'no', 'where'), { memory: plenty })).rejects.toThrow('ENOENT');
  expect(readdirSync(dir)).toEqual(['forced.heapsnapshot']);
});

test('a stream goes straight into the analyser and shows no false retainers', async () => {
  const holder = { planted: [new Planted()] };
  Object.assign(globalThis, { plimsollPlanted: holder });
  const reference = new WeakRef(holder);
  expect(reference.deref()).toBe(holder);
  using snapshot = await open(await captureStream({ memory: plenty, analyse: true }));
  const [found] = snapshot.find((object) => object.name === 'Planted' && object.type === 'object');
  expect(found).toBeDefined();
  const [path] = snapshot.pathsTo(found?.id ?? 0);
  Object.assign(globalThis, { plimsollPlanted: undefined });
  expect(path?.code).toBe('plimsollPlanted.planted[0]');
});
