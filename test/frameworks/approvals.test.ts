import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalRow } from '@plimsoll/host/protocol/frame';
import { beforeAll, expect, test, vi } from 'vitest';
import { TestIo } from '../../packages/plimsoll/src/io.fixture.ts';
import { adminToken, send, serverOver } from '../../packages/plimsoll/src/server/server.fixture.ts';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

test('a delegation waits for a human in the own way of each framework, and goes on or is refused by the answer', async () => {
  expect(
    await result('approvals.mjs', { isGoverned: false, nodeFlags: ['--conditions=plimsoll-source'] }),
  ).toEqual({
    ai: ['done', ['researcher']],
    mastra: ['done', ['researcher']],
    langgraph: ['true false', 2],
    agents: ['done', ['researcher'], 2],
    asked: 8,
  });
});

/** The approvals of a governed process in this folder, as the command line sees them. */
async function listed(io: TestIo): Promise<readonly ApprovalRow[]> {
  io.out = '';
  const code = await io.plimsoll('approvals', 'list', '--json');
  return code === 0 && io.out.startsWith('[') ? (JSON.parse(io.out) as ApprovalRow[]) : [];
}

const frameworks = ['ai', 'mastra', 'langgraph', 'agents'];
const deep = (ttl: string): string =>
  `mode: enforce\napprovals: { deep: { by: [owner], ttl: ${ttl}, on-expiry: deny, for: { delegation: { deeper-than: 4 } } } }\n`;

test('a delegation deeper than the policy allows is answered by the command line and by the page, in every framework', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-approvals-'));
  const io = new TestIo(dir);
  const ran = result<readonly string[]>('approvals-live.mjs', {
    policy: deep('10m'),
    env: { PLIMSOLL_DIR: join(dir, '.plimsoll'), UNTIL: join(dir, 'answered') },
  });
  const { address } = await serverOver({ dir: join(dir, '.plimsoll') });
  for (const [i, name] of frameworks.entries()) {
    let row: ApprovalRow | undefined;
    await vi.waitFor(async () => {
      row = (await listed(io)).find(({ state }) => state === 'open');
      expect(row?.action).toBe(`delegation ${name}`);
    });
    const { id, digest, evidence } = row as unknown as ApprovalRow;
    // The conversation that waits is counted: 28 KB of text and what the framework keeps of it.
    expect(Number(evidence['bytes'])).toBeGreaterThan(28_000);
    if (i % 2 === 0) expect(await io.plimsoll('approvals', 'approve', id)).toBe(0);
    else {
      const answer = await send(address, `/api/approvals/${id}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}` },
        body: JSON.stringify({ decision: 'approve', digest }),
      });
      expect(answer.status, answer.text).toBe(200);
    }
  }
  writeFileSync(join(dir, 'answered'), '');
  expect(await ran).toEqual(frameworks);
});

test('a delegation that nobody answers is denied at its deadline, in every framework', async () => {
  expect(await result('approvals-live.mjs', { policy: deep('1s') })).toEqual([]);
});
