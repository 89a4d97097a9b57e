import { randomUUID } from 'node:crypto';
import type { AlertLabel, AlertRules } from '../policy/sections/alert-rules.ts';
import type { BookEntry } from './alert-book.ts';
import type { Alert, Notice } from './alert.ts';
import { rank } from './inhibition.ts';
import type { MutedBy } from './muting.ts';

/** A group with an urgent alert is sent again after this time at the latest, because an approval may expire after two minutes. */
const urgentIntervalMs = 15_000;
/** Most alerts in one notice. The others go into the next one. */
const mostAlertsPerNotice = 50;

/** An alert that was due and was not sent. */
export interface Suppression {
  readonly recipient: string;
  readonly fingerprint: string;
  readonly labels: BookEntry['labels'];
  readonly by: MutedBy;
}

/** Input and output of one turn over the alerts. */
export interface BoardTurn {
  readonly nowMs: number;
  /** Wall time. */
  readonly at: number;
  readonly rules: AlertRules;
  readonly mutedBy: (entry: BookEntry) => MutedBy | undefined;
  readonly groupOf: (entry: BookEntry) => GroupName;
  readonly alertOf: (entry: BookEntry) => Alert;
  readonly notices: Notice[];
  readonly suppressed: Suppression[];
  /** Time of the next turn, on the monotonic clock. */
  nextMs: number;
}

/** The labels a group has in common. */
interface GroupName {
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The last notice to a recipient about one alert. */
interface Told {
  /** When the recipient was last told that the alert fires. */
  readonly atMs: number;
  /** Whether any notice of it arrived. */
  readonly known: boolean;
  /** The notice that is being delivered. No other notice about the alert is sent until it has settled. */
  readonly flying: 'firing' | 'end' | null;
  readonly noticeId: string;
}

interface Group {
  readonly labels: Readonly<Record<string, string>>;
  readonly begun: BookEntry[];
  readonly repeated: BookEntry[];
  readonly ended: BookEntry[];
  known: number;
}

/** Decides what one recipient is sent and when: it waits, groups, keeps the interval of a group, repeats, and sends ends. */
export class RecipientBoard {
  readonly #recipient: string;
  /** By fingerprint. */
  readonly #told = new Map<string, Told>();
  /** When a group was last sent. */
  readonly #groupMs = new Map<string, number>();
  /** Fingerprints that were already counted as muted. */
  readonly #muted = new Set<string>();

  constructor(recipient: string) {
    this.#recipient = recipient;
  }

  /** Whether the end of an alert still has to be sent to it. */
  awaits(fingerprint: string): boolean {
    return this.#told.has(fingerprint);
  }

  turn(entries: readonly BookEntry[], turn: BoardTurn): void {
    const groups = new Map<string, Group>();
    for (const entry of entries) {
      if (!turn.rules.routes[entry.labels.level].includes(this.#recipient)) continue;
      if (entry.firing) this.#lookAtFiring(entry, groups, turn);
      else this.#lookAtEnded(entry, groups, turn);
    }
    for (const [key, group] of groups) this.#tell(key, group, turn);
    for (const [key, atMs] of this.#groupMs)
      if (turn.nowMs - atMs >= turn.rules.groupIntervalMs && !groups.has(key)) this.#groupMs.delete(key);
  }

  /** Takes the outcome of a notice. A lost one is sent again when its group is due. */
  settled(notice: Notice, arrived: boolean): void {
    for (const { fingerprint } of [...notice.firing, ...notice.resolved]) {
      const told = this.#told.get(fingerprint);
      if (told?.noticeId !== notice.id) continue;
      const isOver = told.flying === 'end' ? arrived : !arrived && !told.known;
      if (isOver) this.#told.delete(fingerprint);
      else {
        const atMs = arrived || told.flying === 'end' ? told.atMs : Number.NEGATIVE_INFINITY;
        this.#told.set(fingerprint, { ...told, atMs, known: true, flying: null });
      }
    }
  }

  forget(fingerprint: string): void {
    this.#told.delete(fingerprint);
    this.#muted.delete(fingerprint);
  }

  #lookAtFiring(entry: BookEntry, groups: Map<string, Group>, turn: BoardTurn): void {
    const { nowMs, rules } = turn;
    const { fingerprint, labels } = entry;
    const told = this.#told.get(fingerprint);
    if (told !== undefined && told.flying !== null) return;
    const isNew = told === undefined;
    const waitMs = entry.urgent ? rules.urgentWaitMs : rules.groupWaitMs;
    const dueMs = isNew ? entry.changedMs + waitMs : told.atMs + rules.repeatMs;
    const by = turn.mutedBy(entry);
    if (dueMs > nowMs) {
      lookAt(turn, dueMs);
      if (!isNew && by === undefined) groupIn(groups, entry, turn).known++;
    } else if (by !== undefined) {
      if (this.#muted.has(fingerprint)) return;
      this.#muted.add(fingerprint);
      turn.suppressed.push({ recipient: this.#recipient, fingerprint, labels, by });
    } else {
      const group = groupIn(groups, entry, turn);
      (isNew ? group.begun : group.repeated).push(entry);
    }
  }

  #lookAtEnded(entry: BookEntry, groups: Map<string, Group>, turn: BoardTurn): void {
    const { fingerprint } = entry;
    this.#muted.delete(fingerprint);
    const told = this.#told.get(fingerprint);
    if (told === undefined || told.flying !== null) return;
    if (entry.momentary || turn.mutedBy(entry) === 'silence') {
      this.#told.delete(fingerprint);
      return;
    }
    // An alert that comes back soon continues as the same one, so that flapping sends nothing.
    const dueMs = entry.changedMs + turn.rules.groupWaitMs;
    if (dueMs > turn.nowMs) lookAt(turn, dueMs);
    else groupIn(groups, entry, turn).ended.push(entry);
  }

  #tell(key: string, group: Group, turn: BoardTurn): void {
    const { begun, repeated, ended } = group;
    const changed = begun.length + repeated.length + ended.length;
    if (changed === 0) return;
    const { rules, nowMs } = turn;
    const intervalMs = begun.some((entry) => entry.urgent)
      ? Math.min(urgentIntervalMs, rules.groupIntervalMs)
      : rules.groupIntervalMs;
    const dueMs = (this.#groupMs.get(key) ?? Number.NEGATIVE_INFINITY) + intervalMs;
    if (dueMs > nowMs) {
      lookAt(turn, dueMs);
      return;
    }
    const firing = [...begun, ...repeated]
      .sort((a, b) => rank(b.labels.level) - rank(a.labels.level))
      .slice(0, mostAlertsPerNotice);
    const resolved = ended.slice(0, mostAlertsPerNotice);
    const id = randomUUID();
    this.#groupMs.set(key, nowMs);
    for (const { fingerprint } of firing)
      this.#told.set(fingerprint, {
        atMs: nowMs,
        known: this.#told.has(fingerprint),
        flying: 'firing',
        noticeId: id,
      });
    for (const { fingerprint } of resolved)
      this.#told.set(fingerprint, { atMs: nowMs, known: true, flying: 'end', noticeId: id });
    if (firing.length > 0) lookAt(turn, nowMs + rules.repeatMs);
    if (changed > firing.length + resolved.length) lookAt(turn, nowMs + intervalMs);
    turn.notices.push({
      id,
      recipient: this.#recipient,
      group: group.labels,
      level: [...firing, ...resolved].reduce(
        (top, { labels: { level } }) => (rank(level) > rank(top) ? level : top),
        'warning' as Notice['level'],
      ),
      at: turn.at,
      firing: firing.map(turn.alertOf),
      resolved: resolved.map(turn.alertOf),
      stillFiring: group.known,
    });
  }
}

function lookAt(turn: BoardTurn, ms: number): void {
  turn.nextMs = Math.min(turn.nextMs, ms);
}

/** The group of an entry. */
export function groupOf(entry: BookEntry, groupBy: readonly AlertLabel[]): GroupName {
  const labels = Object.fromEntries(groupBy.map((label) => [label, entry.labels[label]]));
  return { key: JSON.stringify(labels), labels };
}

function groupIn(groups: Map<string, Group>, entry: BookEntry, turn: BoardTurn): Group {
  const { key, labels } = turn.groupOf(entry);
  let group = groups.get(key);
  if (group === undefined)
    groups.set(key, (group = { labels, begun: [], repeated: [], ended: [], known: 0 }));
  return group;
}
