import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Forecast } from '@plimsoll/leak/internal/judge/forecast';
import type { Level, Mode } from '@plimsoll/core/internal/level';
import { formatByteSize, formatDuration, formatUsedOfLimit } from '@plimsoll/core/units';

/** Input of the headline. */
interface HeadlineFacts {
  /** The finding that explains most; undefined while there is none. */
  readonly finding: Finding | undefined;
  readonly forecast: Forecast | null;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly level: Level;
  readonly mode: Mode;
  /** State of admission, and the number of refusals during the incident. */
  readonly admission: string;
  readonly refused: number;
  /** The newest action that freed memory or ended work; undefined when none ran. */
  readonly acted: string | undefined;
  /** Bytes freed by all actions, as measured. */
  readonly freedBytes: number;
  /** Approvals that wait for a person. */
  readonly waiting: number;
  /** The stage of a restart; undefined when no restart was decided. */
  readonly restart: string | undefined;
  /** Restarts of the program since the first sign. */
  readonly restarts: number;
}

/** The incident in one sentence: what grows, who holds it, how fast, when the limit is reached, what is done. */
export function headlineOf(facts: HeadlineFacts): string {
  const { finding, usedBytes, limitBytes } = facts;
  const what = finding === undefined ? undefined : whatOf(finding);
  const used = formatUsedOfLimit(usedBytes, limitBytes);
  const parts = [what === undefined ? `the process uses ${used}` : what, fullOf(facts), doneOf(facts)];
  const text = parts.filter((part) => part !== '').join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function whatOf(finding: Finding): string {
  const { bytes, rate, site } = finding;
  const who = whoOf(finding);
  const held = bytes > 0 ? `${who.holds} ${formatByteSize(bytes)}` : who.isThere;
  const pace = rate === undefined || rate <= 0 ? '' : ` and ${who.grows} by ${formatByteSize(rate)} per hour`;
  const place = site === undefined ? '' : ` (${site})`;
  return `${who.name}${place} ${held}${pace}`;
}

interface Who {
  readonly name: string;
  readonly holds: string;
  readonly grows: string;
  /** Verb for subjects without bytes of their own. */
  readonly isThere: string;
}

function whoOf({ kind, holder, subject, count, scope }: Finding): Who {
  const where = scope === 'process' ? '' : ` in ${scope}`;
  if (kind === 'survivor') {
    const by = holder === undefined ? '' : ` in ${holder}`;
    const name = `${count} ${survivorsOf(subject)}${by}`;
    return { name, holds: 'hold', grows: 'grow', isThere: 'are still alive' };
  }
  if (kind === 'growth')
    return { name: holder ?? `memory${where}`, holds: 'holds', grows: 'grows', isThere: 'grows' };
  const name = subject ?? `a ${kind}`;
  return { name: `${name}${where}`, holds: 'holds', grows: 'grows', isThere: 'is left behind' };
}

/** The plural of a survivor: `the closed session` becomes `closed sessions`. */
function survivorsOf(subject: string | undefined): string {
  if (subject === undefined) return 'objects of closed scopes';
  const kind = /^the closed (?<kind>\S+)$/.exec(subject)?.groups?.['kind'];
  return kind === undefined ? `× ${subject}` : `closed ${kind}s`;
}

function fullOf({ forecast, usedBytes, limitBytes, finding }: HeadlineFacts): string {
  if (usedBytes >= limitBytes) return 'the limit is reached';
  if (forecast !== null) return `full in ${formatDuration(forecast.ms)}`;
  if (finding?.exhaustsIn !== undefined) return `full in ${formatDuration(finding.exhaustsIn.ms)}`;
  return finding === undefined ? 'its holder is not known yet' : '';
}

function doneOf(facts: HeadlineFacts): string {
  const { admission, refused, acted, freedBytes, mode, waiting, level, restart, restarts } = facts;
  const done: string[] = [];
  if (restarts > 0) done.push(`restarted ${restarts === 1 ? 'once' : `${restarts} times`} so far`);
  if (admission !== 'open' && admission !== 'draining') done.push(`new work is refused (${refused} so far)`);
  if (restart !== undefined) done.push(restart);
  else if (admission === 'draining') done.push('the process drains and restarts');
  if (freedBytes > 0) done.push(`actions freed ${formatByteSize(freedBytes)}`);
  else if (acted !== undefined) done.push(`${acted} freed nothing so far`);
  if (waiting > 0)
    done.push(`${waiting} ${waiting === 1 ? 'approval waits' : 'approvals wait'} for an answer`);
  if (done.length > 0) return done.join(', ');
  if (level === 'normal') return '';
  return mode === 'enforce' ? 'no action has run yet' : `nothing is done about it in mode ${mode}`;
}
