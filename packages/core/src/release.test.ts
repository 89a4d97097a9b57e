import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { releaseOf } from './release.ts';

test('the release is what the environment says, else the version of the nearest package with one', () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-release-'));
  mkdirSync(join(dir, 'app/dist'), { recursive: true });
  writeFileSync(join(dir, 'app/package.json'), '{ "version": "1.4.2" }');
  writeFileSync(join(dir, 'app/dist/package.json'), '{ "type": "module" }');
  const program = join(dir, 'app/dist/server.js');
  expect(releaseOf({ PLIMSOLL_RELEASE: ' 2026-11-16.3 ' }, program)).toBe('2026-11-16.3');
  expect(releaseOf({ PLIMSOLL_RELEASE: '' }, program)).toBe('1.4.2');
  expect(releaseOf({}, undefined)).toBeNull();
  writeFileSync(join(dir, 'app/package.json'), 'not JSON');
  expect(releaseOf({}, program)).toBeNull();
  rmSync(dir, { recursive: true });
});
