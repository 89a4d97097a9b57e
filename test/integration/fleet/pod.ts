/** A process of a fleet in miniature: a ledger folder with its writer, and a shipper that is driven by hand or by its own clock. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { canonicalJson } from '@plimsoll/ledger/internal/audit-entry';
import { settle } from '@plimsoll/ledger/internal/options';
import type {
  FleetFirst,
  FleetHealth,
  FleetOptions,
  FleetVote,
} from '@plimsoll/ledger/internal/postgres/fleet-options';
import { Shipper } from '@plimsoll/ledger/internal/postgres/shipper';
import type { ShipperParts } from '@plimsoll/ledger/internal/postgres/shipper';
import type { Spool } from '@plimsoll/ledger/internal/postgres/spool';
import { SampleBatch } from '@plimsoll/ledger/internal/sample-batch';
import { checkChain } from '@plimsoll/ledger/internal/sqlite/chain-check';
import { Writer } from '@plimsoll/ledger/internal/worker/writer';

export interface PodOptions {
  readonly url: string;
  readonly dir?: string;
  readonly run?: number;
  readonly host?: string;
  readonly service?: string;
  readonly release?: string;
  readonly fleet?: Partial<FleetOptions>;
  readonly now?: () => number;
  readonly parts?: Partial<ShipperParts>;
}

let runs = 0;

export class Pod {
  readonly dir: string;
  readonly run: number;
  readonly writer: Writer;
  readonly shipper: Shipper;
  readonly states: FleetHealth[] = [];
  readonly findings: FleetFirst[] = [];
  readonly votes: FleetVote[] = [];
  readonly #now: () => number;
  #n = 0;
  #delivery = 0;
  #number = 0;

  constructor(options: PodOptions) {
    this.dir = options.dir ?? mkdtempSync(join(tmpdir(), 'plimsoll-pod-'));
    this.run = options.run ?? 1_000_000 + ++runs;
    this.#now = options.now ?? Date.now;
    const identity = {
      service: options.service ?? 'shop',
      release: options.release ?? '1.4.2',
      host: options.host ?? `pod-${runs}`,
      pid: process.pid,
      node: process.version,
    };
    const settings = settle({
      dir: this.dir,
      fleet: { url: options.url, identity, shipMs: 50, deadlineMs: 2000, ...options.fleet },
    });
    const run = { id: this.run, pid: process.pid, host: identity.host, started: this.#now() };
    const confirmed = new Int32Array(new SharedArrayBuffer(8));
    this.writer = new Writer({ settings, run, openRuns: [this.run], confirmed }, this.#now);
    this.shipper = new Shipper({
      settings: settings.fleet as NonNullable<typeof settings.fleet>,
      run,
      spool: this.writer.spool as Spool,
      audit: () => this.writer.audit,
      changed: (health) => this.states.push(health),
      findings: (findings) => this.findings.push(...findings),
      vote: (votes) => this.votes.push(...votes),
      now: this.#now,
      ...options.parts,
    });
  }

  get spool(): Spool {
    return this.writer.spool as Spool;
  }

  /** Stores one reading and some scopes, as the host does every ten seconds. */
  sample(used = 1_000_000, scopes = 3, level: 'normal' | 'critical' = 'normal'): void {
    const batch = new SampleBatch(10_000);
    const at = this.#now();
    batch.add({ at, scope: 'process', usedBytes: used, limit: 4_000_000, rss: used * 2, level });
    for (let i = 0; i < scopes; i++) batch.add({ at, scope: `process/session:${i}`, bytes: used / (i + 2) });
    this.#check(this.writer.handle({ type: 'samples', batch: batch.pack(++this.#number) }));
  }

  /** Appends an entry to the audit. It is acknowledged when this returns. */
  audit(kind: string, body: Readonly<Record<string, unknown>> = {}): void {
    this.auditAs(this.run, kind, body);
  }

  /** As an entry of another writer of the same folder, such as the supervisor. */
  auditAs(run: number, kind: string, body: Readonly<Record<string, unknown>>): void {
    const entry = {
      run,
      n: ++this.#n,
      at: this.#now(),
      kind,
      scope: 'process',
      body: canonicalJson(body),
    };
    this.#check(this.writer.handle({ type: 'audit', delivery: ++this.#delivery, entries: [entry] }));
    this.shipper.wake();
  }

  get head(): { readonly seq: number; readonly hash: string } {
    return checkChain(this.writer.audit).head;
  }

  /** Resolves when everything is shipped. */
  async shipped(): Promise<void> {
    await vi.waitFor(() => {
      const { state, lastError, waitingBatches, waitingEntries } = this.shipper.health;
      if (state !== 'up' || waitingBatches > 0 || waitingEntries > 0)
        throw new Error(`${state}: ${waitingBatches} batches, ${waitingEntries} entries wait (${lastError})`);
    });
  }

  /** Ends without a word, as `kill -9` does; the folder stays. */
  async die(): Promise<void> {
    await this.shipper.close();
    this.writer.close();
  }

  async close(): Promise<void> {
    await this.die();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #check(reply: { readonly type: string }): void {
    if (reply.type === 'failed') throw new Error(JSON.stringify(reply));
  }
}
