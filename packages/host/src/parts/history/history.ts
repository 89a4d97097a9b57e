import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { ActionRecord } from '@plimsoll/govern/internal/actions/action';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Level } from '@plimsoll/core/internal/level';
import type { LevelChange } from '@plimsoll/govern/internal/level/level-change';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { storedNumbers } from '@plimsoll/core/internal/sense/reading-fields';
import type { AuditEntry, Ledger } from '@plimsoll/ledger';
import { findingBody } from '@plimsoll/leak/internal/findings/finding-entry';
import type { Part } from '../part.ts';
import type { ScopeBytes } from '../scopes/scope-bytes.ts';

const scopeRowsMs = 10_000;
const mostScopeRows = 50;

interface HistoryOptions {
  readonly ledger: Pick<Ledger, 'sample' | 'audit'>;
  readonly bytes: ScopeBytes;
  readonly level: () => Level;
  /** Calls the listener with each new text of the policy file, until what it returns is called. */
  readonly followPolicy: (onText: (policy: Policy) => void) => () => void;
  /** The reason of the exit when it is a restart. */
  readonly exitReason: () => string | undefined;
}

/** Writes what happens in a process into its ledger. The ledger counts the entries that it could not keep. */
export class History implements Part {
  readonly #options: HistoryOptions;
  readonly #rhythm = new SampleRhythm(performance.now());
  readonly #onAction = (record: unknown): void => this.#action(record as ActionRecord);
  #scopesAt = Number.NEGATIVE_INFINITY;
  #unfollow: (() => void) | undefined;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  start(): void {
    subscribe('plimsoll:action', this.#onAction);
    this.#unfollow = this.#options.followPolicy((policy) => this.#policy(policy));
  }

  take(reading: Reading): void {
    const { ledger } = this.#options;
    const level = this.#options.level();
    const now = performance.now();
    if (this.#rhythm.due(now, level)) {
      ledger.sample({
        at: reading.at,
        scope: 'process',
        usedBytes: reading.used,
        ...storedNumbers(reading),
        level,
      });
    }
    if (now - this.#scopesAt < scopeRowsMs) return;
    this.#scopesAt = now;
    const { at } = reading;
    const { bytes } = this.#options;
    ledger.sample(
      bytes.heaviest(mostScopeRows).map((scope) => ({ at, scope: scope.path, bytes: bytes.of(scope) })),
    );
  }

  exit(code: number): void {
    const reason = this.#options.exitReason() ?? 'exit';
    this.#write({ kind: 'exit', body: { code, signal: null, reason } });
  }

  stop(): void {
    unsubscribe('plimsoll:action', this.#onAction);
    this.#unfollow?.();
  }

  level(change: LevelChange): void {
    const { at, scope, from, level, usedBytes, limitBytes, source, rule, policy } = change;
    const { revision } = policy;
    this.#write({
      kind: 'level',
      at,
      scope,
      body: { from, to: level, usedBytes, limit: limitBytes, source, rule, revision },
    });
  }

  #action(record: ActionRecord): void {
    const { id, at, scope, action, outcome, freedBytes, releasedBytes, mode, level, text, rule } = record;
    // A publisher on the channel may leave it out, and an error here would end the program.
    const revision = (record.policy as ActionRecord['policy'] | undefined)?.revision;
    const victims = record.victims === undefined ? {} : { victims: record.victims };
    const body = {
      id,
      action,
      outcome,
      freedBytes,
      releasedBytes,
      mode,
      level,
      text,
      rule,
      revision,
      ...victims,
    };
    this.#write({ kind: 'action', at, scope, body });
  }

  finding(finding: Finding): void {
    this.#write({ kind: 'finding', at: finding.lastSeen, scope: finding.scope, body: findingBody(finding) });
  }

  #policy(policy: Policy): void {
    this.#write({
      kind: 'policy',
      body: { event: 'reload', file: policy.file, revision: policy.revision, sha256: policy.sha256 },
    });
  }

  /** Writes an entry of any other kind. */
  note(kind: string, body: Readonly<Record<string, string | number>>): void {
    this.#write({ kind, body });
  }

  #write(entry: AuditEntry): void {
    this.#options.ledger.audit(entry).catch(() => undefined);
  }
}

const denseMs = 5 * 60_000;
const sparseMs = 10_000;

/**
 * Decides which readings are stored: every one in the first five minutes and above level normal, otherwise one in ten seconds. A month of a
 * quiet server is then 260,000 rows instead of 2.6 million, and an incident keeps its detail.
 */
export class SampleRhythm {
  readonly #startedAt: number;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** `at` is monotonic, so that a jump of the wall clock does not stop the samples. */
  due(at: number, level: Level): boolean {
    const dense = level !== 'normal' || at - this.#startedAt < denseMs;
    if (!dense && at - this.#lastAt < sparseMs) return false;
    this.#lastAt = at;
    return true;
  }
}
