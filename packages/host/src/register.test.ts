import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approval } from '@plimsoll/core';
import { expect, test } from 'vitest';
import { ask } from './protocol/control.ts';
import { liveDescriptors } from './protocol/descriptor.ts';

test('the preload governs the process that loads it, and what needs an approval meanwhile waits for the host', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-register-'));
  Object.assign(process.env, {
    PLIMSOLL_DIR: dir,
    PLIMSOLL_MAX_PAUSE_MS: '0',
    PLIMSOLL_SUPERVISED: String(process.ppid),
    PLIMSOLL_AUDIT: '1',
  });
  await import('./register.ts');
  expect(liveDescriptors(dir)).toEqual([]);
  expect(process.env['PLIMSOLL_HOST']).toBe(String(process.pid));
  // An ungoverned process would answer "ungoverned" at once.
  const { state } = await approval('delegation', { name: 'researcher', depth: 99 });
  expect(state).toBe('not-needed');
  const [descriptor] = liveDescriptors(dir);
  expect(descriptor?.pid).toBe(process.pid);
  expect(await ask(descriptor?.socket ?? '', 'ops')).toContain('snapshot.take');
  expect(process.listenerCount('SIGTERM')).toBeGreaterThan(0);
});
