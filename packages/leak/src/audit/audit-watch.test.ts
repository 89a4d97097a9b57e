import { open, processScope } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { Audit } from './audit.ts';
import type { Claim } from '../findings/finding-book.ts';
import { expect, test } from 'vitest';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import { AuditWatch } from './audit-watch.ts';

const { reading } = frameOf();
const at = (ms: number): typeof reading => ({ ...reading, at: ms });

test('what closed scopes left attached becomes a finding, with its last number at the end', async () => {
  const audit = new Audit({ isOwn: () => false });
  audit.start();
  const found: Claim[] = [];
  const auditing = new AuditWatch(roster, audit, (claim) => found.push(claim));
  const { signal } = new AbortController();
  for (let i = 0; i < 110; i++) {
    const scope = open('audited', `${i}`);
    scope.run(() => signal.addEventListener('abort', () => undefined));
    await scope.close();
    if (i % 10 === 0) {
      roster.noteMajorGc();
      auditing.take(at(i));
    }
  }
  expect(found[0]).toMatchObject({ kind: 'listener', severity: 'medium', scope: 'process/audited:0' });
  const told = found.length;
  auditing.conclude(at(200));
  expect(found).toHaveLength(told + 1);
  auditing.stop();
  expect(audit.isOn).toBe(false);
});

test('without an audit registered containers and warnings of Node.js are still watched', async () => {
  const found: Claim[] = [];
  const auditing = new AuditWatch(roster, undefined, (claim) => found.push(claim));
  auditing.start();
  const seen = new Map<number, number>();
  processScope().root(seen);
  for (let i = 0; i < 20; i++) {
    for (let k = 0; k < 50; k++) seen.set(i * 50 + k, k);
    auditing.take(at(i * 60_000));
    auditing.take(at(i * 60_000 + 1));
  }
  expect(found.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual(['growth Map']);
  auditing.conclude(at(1));
  const warning = Object.assign(new Error('many'), {
    name: 'MaxListenersExceededWarning',
    type: 'x',
    count: 11,
  });
  process.emitWarning(Object.assign(warning, { emitter: process }));
  await new Promise((next) => setImmediate(next));
  expect(found[1]).toMatchObject({ kind: 'listener', severity: 'info', times: 11 });
  auditing.stop();
});
