import { openLedger } from '@plimsoll/ledger';

const MiB = 1024 ** 2;

/** Writes the ledger of a process that ran for some minutes, leaked, had actions run and ended. */
export async function writeLedger(
  dir: string,
  options: { readonly startedAt: number; readonly minutes: number },
): Promise<void> {
  const { startedAt, minutes } = options;
  const ledger = openLedger({ dir, batchMs: 10, queueRows: 1_000_000 });
  const end = startedAt + minutes * 60_000;
  await ledger.audit({
    kind: 'start',
    at: startedAt,
    body: {
      pid: 4_194_304,
      node: 'v24.21.0',
      command: 'node old-server.js',
      limit: 200 * MiB,
      limitSource: 'heap',
      mode: 'shadow',
      policy: 'built-in',
    },
  });
  for (let at = startedAt, i = 0; at < end; at += 10_000, i++) {
    ledger.sample({
      at,
      scope: 'process',
      usedBytes: (50 + i) * MiB,
      limit: 200 * MiB,
      floor: (40 + i) * MiB,
      heapUsed: (45 + i) * MiB,
      external: 3 * MiB,
      arrayBuffers: MiB,
      rss: (100 + i) * MiB,
      loopDelayMs: 2,
      level: i > 8 ? 'warning' : 'normal',
    });
    ledger.sample({ at, scope: 'process/session:1', bytes: (1 + i) * MiB });
    if (i < 3) ledger.sample({ at, scope: 'process/session:0', bytes: 9 * MiB });
  }
  const change = {
    from: 'normal',
    to: 'warning',
    usedBytes: 60 * MiB,
    limit: 200 * MiB,
    source: 'heap',
    rule: 'r',
  };
  await ledger.audit({ kind: 'level', at: startedAt + 90_000, scope: 'process', body: change });
  await writeDeeds(ledger, startedAt);
  await ledger.audit({ kind: 'exit', at: end, body: { code: 0, signal: null, reason: 'exit' } });
  await ledger.flush();
  await ledger.close();
}

async function writeDeeds(ledger: ReturnType<typeof openLedger>, startedAt: number): Promise<void> {
  const at = startedAt + 95_000;
  const found = {
    id: 'f1',
    kind: 'survivor',
    severity: 'high',
    fingerprint: 'fp',
    bytes: 5 * MiB,
    count: 2,
    firstSeen: at,
    rate: 100,
    trace: 'globalThis > cache: Map',
    fix: 'delete the key',
  };
  await ledger.audit({ kind: 'finding', at, scope: 'process/session:0', body: found });
  const action = {
    action: 'cache.drop',
    level: 'warning',
    mode: 'shadow',
    rule: 'ladder.warning (p.yaml:3)',
  };
  for (const id of ['w1', 'w2'])
    await ledger.audit({
      kind: 'action',
      at,
      body: { ...action, id, outcome: 'would-have', text: `would ${id}` },
    });
  const real = { ...action, id: 'd1', mode: 'enforce', text: 'dropped' };
  await ledger.audit({ kind: 'action', at, body: { ...real, outcome: 'settling', freedBytes: null } });
  await ledger.audit({ kind: 'action', at: at + 1, body: { ...real, outcome: 'done', freedBytes: MiB } });
  await ledger.audit({
    kind: 'action',
    at,
    body: { ...real, id: 'd2', outcome: 'running', freedBytes: null },
  });
  const ticket = {
    id: 'a1',
    action: 'process.restart',
    kind: 'action',
    why: 'full',
    evidence: { level: 'critical' },
  };
  await ledger.audit({ kind: 'approval', at, body: { ...ticket, state: 'open', deadlineAt: at + 60_000 } });
  const vote = { by: 'user:ann', decision: 'deny', channel: 'cli', comment: 'no' };
  await ledger.audit({
    kind: 'approval',
    at: at + 5,
    body: { id: 'a1', action: 'process.restart', state: 'denied', ...vote },
  });
  await ledger.audit({ kind: 'approval', at, body: { ...ticket, id: 'a2', state: 'open' } });
}
