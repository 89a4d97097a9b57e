import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '@plimsoll/core/internal/sense/limits';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import { LedgerReader } from '@plimsoll/ledger';
import { WebServer } from '../../../../govern/src/alert/sinks/web-server.fixture.ts';
import { LedgerPart } from './ledger.ts';

let server: WebServer | undefined;
afterEach(() => {
  server?.close();
  vi.unstubAllEnvs();
});

test('a policy sends heads of the audit chain to its webhook, and they fit the chain', async () => {
  server = await WebServer.start();
  vi.stubEnv('AUDIT', `whsec_${Buffer.alloc(32, 1).toString('base64')}`);
  const policy = parsePolicy(
    `apiVersion: plimsoll/v1
ledger: { anchor-to: audit }
alerts:
  service: checkout
  recipients:
    audit: { kind: webhook, url: "${server.url}/a", secret: { env: AUDIT }, allow-private: true }
`,
    'plimsoll.yaml',
  );
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-anchors-'));
  const ledgerDir = join(dir, 'ledger');
  const part = new LedgerPart(
    {
      dir,
      ledgerDir,
      target: 'node server.js',
      policyFile: undefined,
      maxPauseMs: undefined,
      isSupervised: false,
    },
    { inForce: policy, own: policy },
    limits,
    () => Promise.reject(new Error('no desk')),
  );
  part.start();
  expect(await part.recorded()).toBe(true);
  await part.ledger.audit({ kind: 'level', body: {} });
  await part.stop();
  const heads = server.received.map(
    ({ body }) => (JSON.parse(body) as { data: { seq: number; hash: string } }).data,
  );
  expect(heads.map(({ seq }) => seq)).toEqual([1, 2]);
  using reader = new LedgerReader(ledgerDir);
  expect(reader.verifyChain(heads)).toMatchObject({ ok: true, head: { seq: 2 } });
});
