import { formatDuration, formatUsedOfLimit } from '@plimsoll/core/units';
import { severities, type Finding } from '@plimsoll/leak/internal/findings/finding';
import type { ApprovalRow, Frame } from '@plimsoll/host/protocol/frame';
import { suspicionOf, suspicionText } from '@plimsoll/host/protocol/text';
import { printable } from '../screen/table.ts';
import { findingLine, holderOf } from '../screen/finding-text.ts';

export const logFormats = ['text', 'json', 'off'] as const;
export type LogFormat = (typeof logFormats)[number];

/** Kind of a line. */
type LogKind =
  | 'incident'
  | 'level'
  | 'finding'
  | 'growth'
  | 'refusal'
  | 'approval'
  | 'rollback'
  | 'policy'
  | 'ledger'
  | 'collector'
  | 'dashboard'
  | 'restart'
  | 'run';

export interface OperatorLogOptions {
  readonly write: (text: string) => void;
  readonly format: LogFormat;
  /** The mode that the policy file asks for; undefined without a policy. */
  readonly writtenMode?: string | undefined;
  /** Asks the process why its policy is in another mode; undefined without an answer. */
  readonly whyMode?: (frame: Frame) => Promise<string | undefined>;
  /** Wall time in ms; `Date.now` by default. */
  readonly now?: () => number;
}

/** Most lines of one kind at once, and the time after which one more is allowed. */
const burst = 12;
const refillMs = 5000;
/**
 * Growth without a holder is logged only when it has lasted this long, because caches and sessions of a fresh server also grow for some
 * seconds.
 */
const lastingMs = 15_000;
/** Most findings and scopes that are remembered. The oldest are forgotten. */
const mostRemembered = 1000;

/**
 * The log of a governed run for its operator: one line each for an incident, a change of level, a finding, refused work, a waiting
 * approval, a policy that was given up or refused, and a failing ledger or collector. It compares each frame with the previous one. Lines
 * of one kind are bounded in number, and the next line says how many were left out.
 */
export class OperatorLog {
  readonly #options: OperatorLogOptions;
  readonly #now: () => number;
  readonly #buckets = new Map<LogKind, { left: number; at: number; dropped: number }>();
  readonly #findings = new Map<string, string>();
  readonly #approvals = new Set<string>();
  #incident = '';
  #levelAt = 0;
  #pid: number | undefined;
  /** The start and the holder in the last line about suspected growth; empty while nothing is suspected. */
  #suspected = '';
  /** When growth was first suspected; undefined while nothing is suspected. */
  #growsSince: number | undefined;
  #admission = 'open';
  #mode: string | undefined;
  #policyFault: string | null = null;
  #ledgerFault: string | null = null;

  constructor(options: OperatorLogOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#mode = options.writtenMode;
  }

  /** Logs the changes since the previous frame. */
  take(frame: Frame): void {
    if (frame.pid !== this.#pid) this.#begin(frame);
    this.#levels(frame);
    for (const finding of frame.findings) this.#finding(finding, frame.pid);
    this.#growth(frame);
    this.#refusal(frame);
    this.#incidentNews(frame);
    for (const row of frame.governance.approvals) this.#approval(row, frame);
    this.#modeChange(frame);
    this.#faults(frame);
  }

  /** Logs one line that does not come from a frame. */
  say(kind: LogKind, text: string, facts: Readonly<Record<string, unknown>> = {}): void {
    const { format, write } = this.#options;
    if (format === 'off') return;
    const dropped = this.#admit(kind);
    if (dropped === undefined) return;
    const at = new Date(this.#now()).toISOString();
    const leftOut = dropped === 0 ? '' : ` (${dropped} earlier ${kind} lines left out)`;
    write(
      format === 'json'
        ? `${JSON.stringify({ at, plimsoll: kind, text, ...facts, ...(dropped > 0 && { leftOut: dropped }) })}\n`
        : `plimsoll: ${at.slice(0, 19)}Z ${kind} ${printable(text)}${leftOut}\n`,
    );
  }

  /** Starts a new life of the program and forgets the state of the last one. */
  #begin(frame: Frame): void {
    this.#pid = frame.pid;
    this.#suspected = '';
    this.#growsSince = undefined;
    this.#admission = 'open';
    this.#approvals.clear();
    this.#levelAt = 0;
    const { resume, limits } = frame;
    this.say('run', `pid ${frame.pid}, limit ${limits.text}`, { pid: frame.pid, limitBytes: limits.bytes });
    if (resume !== undefined) this.say('restart', resume.text, { pid: frame.pid, phase: resume.phase });
  }

  /** Logs suspected growth when it has lasted for some time, when its holder becomes known, and when it is over. */
  #growth({ growth, pid, findings }: Frame): void {
    if (findings.some(({ kind }) => kind === 'growth')) return;
    const suspicion = suspicionOf(growth);
    if (suspicion === null) {
      const isOver = growth?.channels.heap.shape === 'ended' || growth?.channels.heap.shape === 'flat';
      // One outlier among the floors makes growth unclear for a while. That is neither its end nor a new suspicion.
      if (!isOver) return;
      this.#growsSince = undefined;
      if (this.#suspected === '') return;
      this.#suspected = '';
      this.say('growth', 'memory no longer grows', { pid });
      return;
    }
    this.#growsSince ??= this.#now();
    const name = suspicion.who?.split(' ')[0];
    if (name === undefined && this.#now() - this.#growsSince < lastingMs) return;
    const now = `suspected ${name ?? ''}`;
    if (now === this.#suspected || (name === undefined && this.#suspected !== '')) return;
    this.#suspected = now;
    this.say('growth', `suspected: ${suspicionText(suspicion)}`, { pid, ...suspicion });
  }

  #levels({ levels, pid, forecast }: Frame): void {
    for (const row of levels) {
      if (row.at <= this.#levelAt) continue;
      const { scope, from, level, usedBytes, limitBytes } = row;
      // A forecast can raise the level below its line, so it is logged with the level.
      const isForeseen = scope === 'process' && level !== 'normal' && forecast !== null;
      const soon = isForeseen ? `, full in ${formatDuration(forecast.ms)} at this pace` : '';
      const use = `${formatUsedOfLimit(usedBytes, limitBytes)}${soon}`;
      this.say('level', `${level} (was ${from}): ${scope} uses ${use}`, {
        pid,
        scope,
        from,
        level,
        usedBytes,
        limitBytes,
      });
    }
    this.#levelAt = Math.max(this.#levelAt, ...levels.map(({ at }) => at));
  }

  /** Logs a finding when it is new, when its severity rises, and when its holder becomes known. */
  #finding(finding: Finding, pid: number): void {
    const { fingerprint, severity, kind, scope, count, bytes, trace, fix } = finding;
    // It belongs to another finding, which is logged.
    if (severity === 'info') return;
    const said = this.#findings.get(fingerprint);
    const [saidSeverity, saidTrace] = said?.split(' ') ?? [];
    const isGraver = severities.indexOf(severity) > severities.findIndex((each) => each === saidSeverity);
    const isTraced = trace !== undefined && saidTrace !== 'traced';
    if (said !== undefined && !isGraver && !isTraced) return;
    remember(this.#findings, fingerprint, `${severity} ${trace === undefined ? 'untraced' : 'traced'}`);
    const holder = holderOf(finding);
    const held = holder === undefined ? '' : `, held by ${holder}`;
    this.say('finding', `${findingLine(finding)}${held}; fix: ${fix}`, {
      pid,
      kind,
      severity,
      scope,
      fingerprint,
      count,
      bytes,
      holder: holder ?? null,
      fix,
    });
  }

  /** Logs an incident when it opens, when its level rises, when another holder becomes known, and when it ends. */
  #incidentNews({ incident, pid, findings }: Frame): void {
    if (incident === null) return;
    const { id, headline, outcome, level, refused, freedBytes, fix } = incident;
    const holder = findings.find(({ fingerprint }) => fingerprint === incident.findings[0])?.holder ?? '';
    const state = `${id} ${outcome ?? level} ${holder}`;
    if (state === this.#incident) return;
    const isNew = !this.#incident.startsWith(id);
    this.#incident = state;
    const word = outcome === null ? (isNew ? 'opened' : `goes on at level ${level}`) : `ended, ${outcome}`;
    this.say('incident', `${word}: ${headline}`, { pid, id, outcome, level, refused, freedBytes, fix });
  }

  #refusal({ governance: { admission }, pid }: Frame): void {
    const state = admission?.state ?? 'open';
    if (state === this.#admission) return;
    const refused = admission?.refused ?? 0;
    const text =
      state === 'open'
        ? `ended: work is admitted again, ${refused} refused so far`
        : `begins: the process is ${state}, ${Math.round(100 * (admission?.ratio ?? 0))} % of sheddable work is refused`;
    this.#admission = state;
    this.say('refusal', text, { pid, state, ratio: admission?.ratio ?? 0, refused });
  }

  #approval(row: ApprovalRow, { at, pid }: Frame): void {
    if (row.state !== 'open' || this.#approvals.has(row.id)) return;
    remember(this.#approvals, row.id);
    const left = formatDuration(Math.max(0, row.deadlineAt - at));
    this.say(
      'approval',
      `${row.id} waits: ${row.action} on ${row.scope}, ${left} left, then ${row.onExpiry} (plimsoll approvals)`,
      { pid, id: row.id, action: row.action, scope: row.scope, deadlineAt: row.deadlineAt },
    );
  }

  #modeChange(frame: Frame): void {
    const { mode } = frame.policy;
    const from = this.#mode;
    if (mode === from || frame.policy.file === null) return;
    this.#mode = mode;
    if (from === undefined) return;
    const { pid } = frame;
    const say = (why: string | undefined): void => {
      const isGivenUp = mode !== this.#options.writtenMode;
      const text = isGivenUp
        ? `the policy is given up: its mode is ${mode}, not ${from}${why === undefined ? '' : `; ${why}`}. plimsoll rollback --state says more, --undo takes it back`
        : `the policy of the file is in force again: its mode is ${mode}, not ${from}`;
      this.say('rollback', text, { pid, from, mode });
    };
    const asked = this.#options.whyMode?.(frame) ?? Promise.resolve(undefined);
    asked.then(say, () => say(undefined));
  }

  #faults({ policy, ledger, pid }: Frame): void {
    if (policy.fault !== this.#policyFault) {
      this.#policyFault = policy.fault;
      this.say(
        'policy',
        policy.fault === null
          ? 'the policy file is good again and in force'
          : `the policy file is refused, the one before stays in force: ${policy.fault}`,
        { pid, fault: policy.fault },
      );
    }
    if (ledger.fault !== this.#ledgerFault) {
      this.#ledgerFault = ledger.fault;
      const text =
        ledger.fault === null
          ? 'the ledger is written again'
          : `the ledger is not written: ${ledger.fault}; ${ledger.droppedSamples} readings lost`;
      this.say('ledger', text, { pid, fault: ledger.fault });
    }
  }

  /** Number of lines of this kind that were left out before this one; undefined when this one is left out, too. */
  #admit(kind: LogKind): number | undefined {
    const now = this.#now();
    const bucket = this.#buckets.get(kind) ?? { left: burst, at: now, dropped: 0 };
    this.#buckets.set(kind, bucket);
    const back = Math.floor(Math.max(0, now - bucket.at) / refillMs);
    bucket.left = Math.min(burst, bucket.left + back);
    bucket.at = bucket.left === burst ? now : bucket.at + back * refillMs;
    if (bucket.left === 0) {
      bucket.dropped++;
      return undefined;
    }
    bucket.left--;
    const { dropped } = bucket;
    bucket.dropped = 0;
    return dropped;
  }
}

function remember<K>(known: Set<K>, key: K): void;
function remember<K, V>(known: Map<K, V>, key: K, value: V): void;
function remember<K, V>(known: Map<K, V> | Set<K>, key: K, value?: V): void {
  if (known instanceof Set) known.add(key);
  else known.set(key, value as V);
  if (known.size <= mostRemembered) return;
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
