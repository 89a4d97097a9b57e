import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { programOf } from './program.ts';

function checkout(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-checkout-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, '.git/refs/heads'), { recursive: true });
  mkdirSync(join(dir, 'src/deep'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, '.git', name), text);
  return join(dir, 'src/deep');
}

const commit = 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334';

test('attributes of OpenTelemetry come before npm, and npm before git', () => {
  const cwd = checkout({ HEAD: `${commit}\n` });
  const npm = { npm_package_name: 'shop', npm_package_version: '1.4.1' };
  const otel = { OTEL_RESOURCE_ATTRIBUTES: 'service.name=till,service.version=1.4.2%2Bblue,bad,x=%ZZ' };
  expect(programOf({ ...npm, ...otel }, cwd)).toEqual({ service: 'till', release: '1.4.2+blue' });
  expect(programOf({ ...npm, ...otel, OTEL_SERVICE_NAME: 'desk' }, cwd)).toMatchObject({ service: 'desk' });
  expect(programOf(npm, cwd)).toEqual({ service: 'shop', release: '1.4.1' });
  expect(programOf({}, cwd)).toEqual({ release: 'a1b2c3d4e5f6' });
});

test('the commit is found on a branch, in packed references, and not in a file that holds none', () => {
  const ref = 'ref: refs/heads/main\n';
  expect(programOf({}, checkout({ HEAD: ref, 'refs/heads/main': commit }))).toEqual({
    release: 'a1b2c3d4e5f6',
  });
  const packed = `# pack-refs\n${commit} refs/heads/main\n`;
  expect(programOf({}, checkout({ HEAD: ref, 'packed-refs': packed }))).toEqual({ release: 'a1b2c3d4e5f6' });
  expect(programOf({}, checkout({ HEAD: ref }))).toEqual({});
  expect(programOf({}, checkout({ HEAD: 'nonsense' }))).toEqual({});
  expect(programOf({}, '/')).toEqual({});
});
