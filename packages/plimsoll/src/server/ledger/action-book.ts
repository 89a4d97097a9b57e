import type { AuditRecord } from '@plimsoll/ledger';
import type { WouldHaveRow } from '@plimsoll/host/protocol/api';
import type { ActionTally } from './question.ts';

const text = (value: unknown, fallback = ''): string => (typeof value === 'string' ? value : fallback);

/** Outcomes after which an action changes no more. */
const final = new Set(['done', 'would-have', 'skipped', 'failed']);
const mostRemembered = 2000;
const mostRows = 500;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Counts the actions of one run as their entries come, however many there are. Several entries with the same id count once. */
export class ActionBook {
  /** The newest entry so far. The next read begins after it. */
  lastSeq = 0;
  readonly #tallies = new Map<string, Mutable<ActionTally>>();
  readonly #wouldHave = new Map<string, Mutable<WouldHaveRow>>();
  readonly #underWay = new Map<string, AuditRecord>();
  readonly #counted = new Set<string>();

  take(entries: readonly AuditRecord[]): void {
    for (const entry of entries) {
      this.lastSeq = Math.max(this.lastSeq, entry.seq);
      const id = text(entry.body['id'], `seq ${entry.seq}`);
      if (this.#counted.has(id)) continue;
      if (!final.has(text(entry.body['outcome']))) {
        this.#underWay.set(id, entry);
        if (this.#underWay.size > mostRemembered)
          this.#underWay.delete(this.#underWay.keys().next().value as string);
        continue;
      }
      this.#underWay.delete(id);
      this.#counted.add(id);
      if (this.#counted.size > mostRemembered)
        this.#counted.delete(this.#counted.values().next().value as string);
      count(this.#tallies, entry);
      this.#shadow(entry);
    }
  }

  /** Number of actions by outcome and mode, including running ones. */
  tallies(): readonly ActionTally[] {
    const all = new Map([...this.#tallies].map(([key, tally]) => [key, { ...tally }]));
    for (const entry of this.#underWay.values()) count(all, entry);
    return [...all.values()];
  }

  /** Actions that shadow mode held back, one row per action, level and rule, most frequent first. */
  wouldHave(): readonly WouldHaveRow[] {
    return [...this.#wouldHave.values()].sort((a, b) => b.count - a.count);
  }

  #shadow({ at, scope, body }: AuditRecord): void {
    if (body['outcome'] !== 'would-have') return;
    const [action, level, rule] = [text(body['action'], 'unknown'), text(body['level']), text(body['rule'])];
    const key = `${action} ${level} ${rule}`;
    const row = this.#wouldHave.get(key) ?? {
      action,
      level,
      rule,
      count: 0,
      lastAt: 0,
      lastScope: '',
      lastText: '',
    };
    row.count++;
    if (at >= row.lastAt) Object.assign(row, { lastAt: at, lastScope: scope, lastText: text(body['text']) });
    if (this.#wouldHave.size < mostRows) this.#wouldHave.set(key, row);
  }
}

function count(tallies: Map<string, Mutable<ActionTally>>, { body }: AuditRecord): void {
  const [action, outcome, mode] = [
    text(body['action'], 'unknown'),
    text(body['outcome']),
    text(body['mode']),
  ];
  const key = `${action} ${outcome} ${mode}`;
  const tally = tallies.get(key) ?? { action, outcome, mode, count: 0, freedBytes: 0 };
  tally.count++;
  const freed = body['freedBytes'];
  if (typeof freed === 'number' && outcome === 'done') tally.freedBytes += Math.max(0, freed);
  if (tallies.has(key) || tallies.size < mostRows) tallies.set(key, tally);
}
