import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PlimsollError } from '@plimsoll/core';
import { withHeader } from './policy.fixture.ts';
import { PolicyFile, readPolicyFile } from './policy-file.ts';

let dir: string;
let file: string;
const write = (text: string): void => writeFileSync(file, withHeader(text));
const inDir = (text: string): string => text.replaceAll(dir, '<dir>');

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-policy-'));
  file = join(dir, 'plimsoll.yaml');
  write('revision: 1');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true });
});

describe('a path that is no regular file', () => {
  test.each(['fifo', '/dev/zero'])('%s at start is an error and does not block', (path) => {
    const given = path === 'fifo' ? join(dir, 'fifo') : path;
    if (path === 'fifo') execFileSync('mkfifo', [given]);
    expect(() => readPolicyFile(given)).toThrow(/could not be read: it is a .*, not a regular file/);
  });

  test('a policy that becomes a FIFO is refused at the reload, and the last good one stays', () => {
    const refused: PlimsollError[] = [];
    using policy = new PolicyFile(file, { onRefused: (error) => refused.push(error) });
    rmSync(file);
    execFileSync('mkfifo', [file]);
    expect(policy.reload()).toBe(false);
    expect(policy.current.revision).toBe(1);
    expect(refused.map(({ message }) => inDir(message))).toEqual([
      expect.stringContaining('it is a named pipe, not a regular file'),
    ]);
  });
});

describe('at start', () => {
  test('a good file is in force', () => {
    using policy = new PolicyFile(file);
    expect(policy.current).toMatchObject({
      revision: 1,
      file,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(policy.problem).toBeUndefined();
  });

  test('a missing, unreadable, huge or faulty file is an error', () => {
    const texts = [join(dir, 'gone.yaml'), dir, 'huge', 'faulty'].map((path) => {
      if (path === 'huge') write(`# ${'x'.repeat(300_000)}`);
      if (path === 'faulty') write('mode: x');
      try {
        readPolicyFile(path.startsWith('/') ? path : file);
        return 'accepted';
      } catch (error) {
        return inDir(String(error));
      }
    });
    expect(texts.join('\n\n')).toMatchInlineSnapshot(`
      "PLM_POLICY_UNREADABLE: the policy could not be read: ENOENT: no such file or directory.
        at:  <dir>/gone.yaml
        fix: check the path and its permissions; "plimsoll init" writes a policy to start from.

      PLM_POLICY_UNREADABLE: the policy could not be read: it is a folder, not a regular file.
        at:  <dir>
        fix: check the path and its permissions; "plimsoll init" writes a policy to start from.

      PLM_POLICY_TOO_BIG: the policy has 293.0 KiB; at most 128.0 KiB are read.
        at:  <dir>/plimsoll.yaml
        fix: use globs instead of one entry per name.

      PLM_POLICY_BAD_VALUE: "x" is not accepted here; it has to be a mode: observe, shadow, enforce.
        at:  <dir>/plimsoll.yaml:2:7  mode
        fix: write observe."
    `);
  });
});

describe('reload by hand', () => {
  test('swaps, tells every listener, and survives one that throws', () => {
    using policy = new PolicyFile(file);
    const heard: string[] = [];
    policy.onSwap(() => {
      throw new Error('mine');
    });
    const stop = policy.onSwap((next, before) => heard.push(`${before.revision} > ${next.revision}`));
    write('revision: 2');
    expect(policy.reload()).toBe(true);
    expect(policy.reload()).toBe(false);
    stop();
    write('revision: 3');
    expect(policy.reload()).toBe(true);
    expect([policy.current.revision, heard]).toEqual([3, ['1 > 2']]);
  });

  test('a faulty file keeps the last good one and says why, once', () => {
    const refused: PlimsollError[] = [];
    using policy = new PolicyFile(file, {
      onRefused: (error) => {
        refused.push(error);
        throw new Error('mine');
      },
    });
    write('revision: 2\nmode: 3\nsignal: { sample: 1 }');
    expect([policy.reload(), policy.reload()]).toEqual([false, false]);
    expect(policy.current.revision).toBe(1);
    expect(inDir(refused.map(String).join('\n'))).toMatchInlineSnapshot(`
      "PLM_POLICY_KEPT_LAST_GOOD: the changed policy was refused and revision 1 stays in force. PLM_POLICY_BAD_VALUE at <dir>/plimsoll.yaml:3:7  mode: 3 is not accepted here; it has to be a mode: observe, shadow, enforce.
        at:  <dir>/plimsoll.yaml
        fix: run "plimsoll check" on the file; it is read again when it changes."
    `);
    expect(policy.problem).toMatchObject({ code: 'PLM_POLICY_SEVERAL' });
    write('revision: 2');
    expect(policy.reload()).toBe(true);
    expect(policy.problem).toBeUndefined();
    rmSync(file);
    expect(policy.reload()).toBe(false);
    expect(policy.problem).toMatchObject({ code: 'PLM_POLICY_UNREADABLE' });
    expect(policy.current.revision).toBe(2);
    write('');
  });

  test('without a listener a warning is emitted', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    using policy = new PolicyFile(file);
    write('mode: 3');
    policy.reload();
    expect(warn.mock.calls.map(([text]) => inDir(String(text)))).toMatchInlineSnapshot(`
      [
        "the changed policy was refused and revision 1 stays in force. PLM_POLICY_BAD_VALUE at <dir>/plimsoll.yaml:2:7  mode: 3 is not accepted here; it has to be a mode: observe, shadow, enforce. (fix: run "plimsoll check" on the file; it is read again when it changes.)",
      ]
    `);
  });

  test('a closed one reads no more', () => {
    const policy = new PolicyFile(file);
    policy.close();
    write('revision: 2');
    expect(policy.reload()).toBe(false);
  });
});

describe('watching', () => {
  const quick = { pollMs: 10, settleMs: 10 };

  test('a change is picked up, a fault kept out, and its cure picked up again', async () => {
    const codes: string[] = [];
    using policy = new PolicyFile(file, {
      ...quick,
      onRefused: (_, kept) => codes.push(`kept ${kept.revision}`),
    });
    write('revision: 2');
    await vi.waitFor(() => expect(policy.current.revision).toBe(2));
    write('revision: x');
    await vi.waitFor(() => expect(codes).toEqual(['kept 2']));
    write('revision: 33');
    await vi.waitFor(() => expect(policy.current.revision).toBe(33));
    expect(policy.problem).toBeUndefined();
  });

  test('a swapped link, as a ConfigMap has, is seen', async () => {
    for (const revision of [7, 8]) {
      mkdirSync(join(dir, `v${revision}`));
      writeFileSync(join(dir, `v${revision}`, 'p.yaml'), withHeader(`revision: ${revision}`));
    }
    symlinkSync(join(dir, 'v7'), join(dir, 'data'));
    using policy = new PolicyFile(join(dir, 'data', 'p.yaml'), quick);
    expect(policy.current.revision).toBe(7);
    symlinkSync(join(dir, 'v8'), join(dir, 'next'));
    renameSync(join(dir, 'next'), join(dir, 'data'));
    await vi.waitFor(() => expect(policy.current.revision).toBe(8));
  });

  test('a file that is still being written is not read', async () => {
    const refused: string[] = [];
    using policy = new PolicyFile(file, {
      pollMs: 10,
      settleMs: 150,
      onRefused: (error) => refused.push(error.code),
    });
    for (let i = 1; i <= 8; i++) {
      write(`revision: ${i}\nmode: ${'x'.repeat(i)}`);
      await new Promise((done) => setTimeout(done, 20));
    }
    write('revision: 9\nmode: enforce');
    await vi.waitFor(() => expect(policy.current.revision).toBe(9));
    expect(refused).toEqual([]);
  });

  test('a file that goes away and comes back', async () => {
    const refused: string[] = [];
    using policy = new PolicyFile(file, { ...quick, onRefused: (error) => refused.push(error.code) });
    rmSync(file);
    await vi.waitFor(() => expect(refused).toEqual(['PLM_POLICY_KEPT_LAST_GOOD']));
    write('revision: 5');
    chmodSync(file, 0o600);
    await vi.waitFor(() => expect(policy.current.revision).toBe(5));
  });
});
