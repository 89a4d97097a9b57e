import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { installHeldGate, type HeldGate } from '@plimsoll/core/internal/gate/approval';
import { approvalDefaults, type ApprovalPolicy } from '@plimsoll/govern/internal/policy/sections/approvals';
import type { SnapshotAnswer } from '../protocol/api.ts';
import { SnapshotDesk, snapshotOps } from './snapshot.ts';

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-asked-'));
const removals: (() => void)[] = [() => rmSync(dir, { recursive: true, force: true })];
afterEach(() => {
  while (removals.length > 1) removals.pop()?.();
});

const memory = (freeBytes: number) => () => ({
  freeBytes,
  limitBytes: 2 ** 31,
  binds: 'cgroup' as const,
});
const plenty = memory(2 ** 40);

/** Holds every operation until the test answers for it. */
function heldGate(): { readonly asked: string[]; answer: (go: boolean) => void } {
  const asked: string[] = [];
  const held = { asked, answer: (_go: boolean): void => undefined };
  const gate: HeldGate = {
    needs: () => true,
    hold: (_point, request) =>
      new Promise((resolve, reject) => {
        asked.push(`${request.name} ${String(request.critical)}`);
        held.answer = (go) =>
          go ? resolve({ state: 'approved', id: 't1', by: 'user:ann' }) : reject(new Error('denied by ann'));
      }),
  };
  removals.push(installHeldGate(gate));
  return held;
}

async function settled(desk: SnapshotDesk): Promise<SnapshotAnswer> {
  return vi.waitFor(
    async () => {
      const answer = await desk.state();
      expect(['done', 'failed']).toContain(answer.job?.state);
      return answer;
    },
    { timeout: 50_000 },
  );
}

test('the owner asks and gets a private file; the newest two are kept', { timeout: 300_000 }, async () => {
  const held = heldGate();
  const desk = new SnapshotDesk({ dir, memory: plenty, approvals: () => approvalDefaults });
  const ops = snapshotOps(desk);
  expect(await ops['snapshot.state']?.({})).toMatchObject({ prediction: { fits: true }, job: null });
  for (let round = 1; round <= 3; round++) {
    expect(await ops['snapshot.take']?.({})).toMatchObject({ job: { id: round } });
    const { job } = await settled(desk);
    expect(job).toMatchObject({ id: round, state: 'done', error: null });
    expect(statSync(job?.file ?? '')).toMatchObject({ size: job?.fileBytes });
    expect(statSync(job?.file ?? '').mode & 0o777).toBe(0o600);
  }
  expect(held.asked).toEqual([]);
  expect(readdirSync(dir).sort()).toEqual([
    `${process.pid}.asked-2.heapsnapshot`,
    `${process.pid}.asked-3.heapsnapshot`,
  ]);
});

test('what does not fit is refused by the guard with its code and fix', async () => {
  const desk = new SnapshotDesk({ dir, memory: memory(1000), approvals: () => approvalDefaults });
  expect((await desk.state()).prediction.fits).toBe(false);
  await desk.take();
  const { job } = await settled(desk);
  expect(job).toMatchObject({ state: 'failed', file: null, error: { code: 'PLM_HEAP_CAPTURE_REFUSED' } });
  expect(job?.error?.fix).toContain('release memory first');
});

test('an approval is waited for where the policy asks, and a second one is refused meanwhile', async () => {
  const held = heldGate();
  const { operator } = approvalDefaults.rules;
  const rules = { operator: { ...operator, by: ['group:sre'] } } as ApprovalPolicy['rules'];
  const desk = new SnapshotDesk({ dir, memory: plenty, approvals: () => ({ ...approvalDefaults, rules }) });
  expect((await desk.take()).job?.state).toBe('waiting');
  await vi.waitFor(() => expect(held.asked).toEqual(['heap snapshot true']));
  await expect(desk.take()).rejects.toMatchObject({ code: 'PLM_SNAPSHOT_BUSY' });
  held.answer(false);
  const { job } = await settled(desk);
  expect(job).toMatchObject({ state: 'failed', error: { message: 'denied by ann' } });
  expect(existsSync(join(dir, `${process.pid}.asked-1.heapsnapshot`))).toBe(false);
  await desk.take();
  await vi.waitFor(() => expect(held.asked).toHaveLength(2));
  held.answer(true);
  expect((await settled(desk)).job).toMatchObject({ id: 2, state: 'done' });
});
