import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { ActionRecord } from '@plimsoll/govern/internal/actions/action';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Level } from '@plimsoll/core/internal/level';
import type { LevelChange } from '@plimsoll/govern/internal/level/level-change';
import type { Limits } from '@plimsoll/core/internal/sense/limits';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { AuditEntry, Ledger } from '@plimsoll/ledger';
import { findingBody } from '@plimsoll/leak/internal/findings/finding-entry';
import { SampleRhythm } from './sample-rhythm.ts';
import type { ScopeBytes } from './scope-bytes.ts';

const scopeRowsMs = 10_000;
const mostScopeRows = 50;

/** Writes what happens in a process into its ledger. An entry that cannot be kept is counted by the ledger and harms nothing. */
export class History {
  readonly #ledger: Ledger;
  readonly #bytes: ScopeBytes;
  readonly #rhythm = new SampleRhythm(performance.now());
  #scopesAt = Number.NEGATIVE_INFINITY;

  constructor(ledger: Ledger, bytes: ScopeBytes) {
    this.#ledger = ledger;
    this.#bytes = bytes;
  }

  start(target: string, limits: Limits, policy: Policy): void {
    this.#write({
      kind: 'start',
      body: {
        pid: process.pid,
        node: process.version,
        command: target,
        limit: limits.binding.bytes,
        limitSource: limits.binding.source,
        mode: policy.mode,
        policy: policy.file,
      },
    });
  }

  reading(reading: Reading, level: Level): void {
    const now = performance.now();
    if (this.#rhythm.due(now, level)) {
      this.#ledger.sample({
        at: reading.at,
        scope: 'process',
        usedBytes: reading.used,
        limit: reading.limit,
        floor: reading.floor,
        heapUsed: reading.heapUsed,
        external: reading.external,
        arrayBuffers: reading.arrayBuffers,
        rss: reading.rss,
        loopDelayMs: reading.loopDelayMs,
        level,
      });
    }
    if (now - this.#scopesAt < scopeRowsMs) return;
    this.#scopesAt = now;
    this.#ledger.sample(
      this.#heaviest().map((scope) => ({ at: reading.at, scope: scope.path, bytes: this.#bytes.of(scope) })),
    );
  }

  level(change: LevelChange): void {
    const { at, scope, from, level, usedBytes, limitBytes, source, rule } = change;
    this.#write({
      kind: 'level',
      at,
      scope,
      body: { from, to: level, usedBytes, limit: limitBytes, source, rule },
    });
  }

  action(record: ActionRecord): void {
    const { id, at, scope, action, outcome, freedBytes, releasedBytes, mode, level, text, rule } = record;
    const victims = record.victims === undefined ? {} : { victims: record.victims };
    const body = { id, action, outcome, freedBytes, releasedBytes, mode, level, text, rule, ...victims };
    this.#write({ kind: 'action', at, scope, body });
  }

  finding(finding: Finding): void {
    this.#write({ kind: 'finding', at: finding.lastSeen, scope: finding.scope, body: findingBody(finding) });
  }

  policy(policy: Policy): void {
    this.#write({
      kind: 'policy',
      body: { event: 'reload', file: policy.file, revision: policy.revision, sha256: policy.sha256 },
    });
  }

  exit(code: number, reason = 'exit'): void {
    this.#write({ kind: 'exit', body: { code, signal: null, reason } });
  }

  /** A fact of another kind. */
  note(kind: string, body: Readonly<Record<string, string | number>>): void {
    this.#write({ kind, body });
  }

  #heaviest(): ScopeBytes['open'] {
    const open = this.#bytes.open;
    if (open.length <= mostScopeRows) return open;
    return [...open].sort((a, b) => this.#bytes.of(b) - this.#bytes.of(a)).slice(0, mostScopeRows);
  }

  #write(entry: AuditEntry): void {
    this.#ledger.audit(entry).catch(() => undefined);
  }
}
