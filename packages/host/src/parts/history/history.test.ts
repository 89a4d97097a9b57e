import { channel } from 'node:diagnostics_channel';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { roster } from '@plimsoll/core/internal/scope/index';
import { LedgerReader, openLedger } from '@plimsoll/ledger';
import { ScopeBytes } from '../scopes/scope-bytes.ts';
import { History } from './history.ts';

test('a level change and an action in the ledger carry the revision of the policy', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-history-'));
  const ledger = openLedger({ dir });
  const history = new History({
    ledger,
    bytes: new ScopeBytes(roster, { bytesOf: () => undefined }),
    level: () => 'normal',
    followPolicy: () => () => undefined,
    exitReason: () => undefined,
  });
  history.start();
  const policy = { revision: 14, sha256: 'x' };
  const at = Date.now();
  history.level({
    scope: 'process',
    level: 'warning',
    from: 'normal',
    ratio: 0.7,
    usedBytes: 70,
    limitBytes: 100,
    source: 'heap',
    rule: 'limits.heap',
    at,
    mode: 'enforce',
    policy,
  });
  channel('plimsoll:action').publish({ id: '1', at, scope: 'process', action: 'notify', policy });
  channel('plimsoll:action').publish({ id: '2', at, scope: 'process', action: 'notify' });
  history.stop();
  await ledger.close();
  using reader = new LedgerReader(dir);
  const bodies = reader.audit({}).map(({ kind, body }) => [kind, (body as { revision?: number }).revision]);
  expect(bodies).toEqual([
    ['level', 14],
    ['action', 14],
    ['action', undefined],
  ]);
});
