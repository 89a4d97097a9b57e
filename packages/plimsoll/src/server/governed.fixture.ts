import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { explain } from '@plimsoll/govern/internal/policy/explain';
import type { ApprovalRow, Frame, ScopeRow } from '@plimsoll/host/protocol/frame';
import type { ControlOps } from '@plimsoll/host/protocol/answers';
import { removeDescriptor, socketPath, writeDescriptor } from '@plimsoll/host/protocol';
import { FeedServer } from '@plimsoll/host/internal/feed/feed-server';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import type { SnapshotAnswer } from '@plimsoll/host/protocol/api';
import { policyInForce } from '@plimsoll/host/protocol';
import type { ScopePage } from '@plimsoll/host/protocol/answers';
import { onTestFinished, vi } from 'vitest';

/** A folder that exists for one test. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-server-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function scopeRow(path: string, changes: Partial<ScopeRow> = {}): ScopeRow {
  const kind = path.slice(path.lastIndexOf('/') + 1).split(':')[0] as string;
  const known = {
    kind,
    bytes: 10,
    by: 'account',
    measuredAt: 0,
    spread: null,
    peakBytes: 20,
    budgetBytes: null,
    level: 'normal',
  } as const;
  return { path, ...known, ageMs: 1000, idleMs: 100, leases: 0, ...changes };
}

export function approvalRow(id: string, changes: Partial<ApprovalRow> = {}): ApprovalRow {
  return {
    id,
    digest: `digest-of-${id}`,
    kind: 'action',
    action: 'process.restart',
    scope: 'process',
    why: 'used 95 % of the limit',
    evidence: { level: 'critical', usedBytes: 95 },
    requestedBy: 'ladder.critical',
    at: 1000,
    deadlineAt: 61_000,
    onExpiry: 'skip',
    quorum: 1,
    approvers: ['owner'],
    votes: [],
    state: 'open',
    decidedAt: null,
    ranAt: null,
    ...changes,
  };
}

/** A governed process for the server: a real descriptor, feed and control socket of this process, with made-up content. */
export class Governed {
  readonly dir: string;
  readonly feed: FeedServer;
  scopes: ScopeRow[] = [scopeRow('process/session:1'), scopeRow('process/session:2')];
  approvals: ApprovalRow[] = [approvalRow('a1')];
  decided: Record<string, unknown>[] = [];
  snapshot: SnapshotAnswer = {
    prediction: { objects: 1000, neededBytes: 9e6, stopMs: 31, freeBytes: 1e9, fits: true },
    job: null,
  };
  scopeAsks = 0;
  frame: Frame;

  constructor(dir: string, changes: Partial<Frame> = {}) {
    this.dir = dir;
    this.frame = frameOf({
      pid: process.pid,
      at: Date.now(),
      ledger: { dir: null, droppedSamples: 0, fault: null },
      ...changes,
    });
    this.feed = new FeedServer(socketPath(dir, process.pid));
  }

  async start(startedAt = 1): Promise<void> {
    const { dir, feed } = this;
    feed.offer([this.#ops()]);
    const socket = socketPath(dir, process.pid);
    const refused = Promise.withResolvers<never>();
    feed.listen(refused.reject);
    const listens = vi.waitUntil(
      () => existsSync(socket) && (statSync(socket).mode & 0o777) === 0o600,
      50_000,
    );
    await Promise.race([listens, refused.promise]);
    writeDescriptor(dir, { pid: process.pid, target: 'node server.js', startedAt, socket });
  }

  push(changes: Partial<Frame> = {}): void {
    this.frame = { ...this.frame, at: Date.now(), ...changes };
    this.feed.push(() => JSON.stringify(this.frame));
  }

  /** Sends readings at a short interval until the test is over. */
  beat(everyMs = 20): void {
    const timer = setInterval(() => this.push(), everyMs);
    onTestFinished(() => clearInterval(timer));
  }

  stop(): void {
    this.feed.close();
    removeDescriptor(this.dir, process.pid);
  }

  #ops(): ControlOps {
    const seen = new Map<string, Map<string, string>>();
    return {
      scopes: ({ watch, fresh }): ScopePage => {
        this.scopeAsks++;
        const name = String(watch);
        const full = fresh === true || !seen.has(name);
        const known = full ? new Map<string, string>() : (seen.get(name) as Map<string, string>);
        seen.set(name, known);
        const rows = this.scopes.filter((row) => known.get(row.path) !== JSON.stringify(row));
        const gone = [...known.keys()].filter((path) => !this.scopes.some((row) => row.path === path));
        for (const path of gone) known.delete(path);
        for (const row of rows) known.set(row.path, JSON.stringify(row));
        return { at: Date.now(), full, rows, gone, done: true };
      },
      explain: ({ scope }) => explain(builtInPolicy, String(scope), 1000),
      policy: () => policyInForce(builtInPolicy, 1000),
      'snapshot.state': () => this.snapshot,
      'snapshot.take': () => this.snapshot,
      act: ({ action }) => ({
        id: 'a-1',
        action,
        scope: 'process',
        outcome: 'done',
        text: 'done.',
        releasedBytes: 0,
      }),
      'approvals.list': () => this.approvals,
      'approvals.decide': (args) => {
        this.decided.push({ ...args });
        const row = this.approvals.find((each) => each.id === args['id']) as ApprovalRow;
        const state = args['decision'] === 'approve' ? ('approved' as const) : ('denied' as const);
        const next = { ...row, state, decidedAt: 2000 };
        this.approvals = this.approvals.map((each) => (each.id === row.id ? next : each));
        return next;
      },
    };
  }
}
