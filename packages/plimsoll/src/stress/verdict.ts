import { formatByteSize } from '@plimsoll/core/units';
import type {
  CheckRow,
  HypothesisRow,
  InjectionRow,
  PlanRow,
  StressSection,
  StressVerdict,
} from '../report/stress-section.ts';
import type { Report } from '../run/report.ts';
import { certainSlope, growthLine } from './growth-line.ts';
import type { LivePoint } from './growth-line.ts';

/** Growth below this, and below this share of the live memory, is noise of the runtime, such as compiled code and connection pools. */
const leastGrowth = 768 * 1024;
const leastShare = 0.04;
/** Share of a plan's calls that may fail without an injected fault. */
const errorShare = 0.01;

interface PlanVerdict extends Pick<PlanRow, 'verdict' | 'why'> {
  readonly bytesPerCall: number | null;
}

/**
 * The verdict on one plan. The verdict of the process itself comes first, because it names the holder. Measurements after full collections
 * at known amounts of work decide when a short life leaves that verdict undecided.
 */
export function judgePlan(
  report: Pick<Report, 'verdict' | 'why'>,
  points: readonly LivePoint[],
): PlanVerdict {
  const line = growthLine(points);
  const start = points[0]?.bytes ?? 0;
  const work = (points.at(-1)?.work ?? 0) - (points[0]?.work ?? 0);
  const bytesPerCall = line === null || points.length < 3 ? null : line.slope;
  const bar = Math.max(leastGrowth, leastShare * start);
  const perCall = bytesPerCall === null ? '' : ` (${signed(bytesPerCall)} per call)`;
  if (report.verdict === 'leak') return { verdict: 'leak', why: `${report.why}${perCall}`, bytesPerCall };
  const isGrowing = line !== null && certainSlope(line) * work > bar && isStillGrowing(points, bar);
  if (isGrowing)
    return {
      verdict: 'leak',
      why: `live memory grew by ${signed(line.slope)} per call over ${line.points} measurements after full collections, in the second half as in the first.`,
      bytesPerCall,
    };
  const gained = (points.at(-1)?.bytes ?? 0) - start;
  if (points.length >= 4 && gained <= bar)
    return {
      verdict: 'clean',
      why: `live memory went from ${formatByteSize(start)} to ${formatByteSize(start + gained)} over ${points.length} measurements after full collections${perCall}.`,
      bytesPerCall,
    };
  if (report.verdict === 'clean') return { verdict: 'clean', why: report.why, bytesPerCall };
  return {
    verdict: 'undecided',
    why:
      points.length < 4
        ? `only ${points.length} measurements could be made.`
        : `live memory grew by ${formatByteSize(gained)}, but not steadily${perCall}: a cache that fills, or too little load. Repeat it with a longer --for.`,
    bytesPerCall,
  };
}

/** Whether the measurements so far call for a snapshot: three of them, each higher than the one before. */
export function isRising(points: readonly LivePoint[]): boolean {
  const last = points.slice(-3);
  if (last.length < 3) return false;
  const gained = (last[2] as LivePoint).bytes - (last[0] as LivePoint).bytes;
  return (
    last.every(({ bytes }, i) => i === 0 || bytes > (last[i - 1] as LivePoint).bytes) &&
    gained > leastGrowth / 3
  );
}

/** True when the later half also grows, at least at half the pace. A cache that fills up slows down. */
function isStillGrowing(points: readonly LivePoint[], bar: number): boolean {
  const middle = Math.floor(points.length / 2);
  const early = growthLine(points.slice(0, middle + 1));
  const late = growthLine(points.slice(middle));
  if (early === null || late === null) return false;
  const lateWork = (points.at(-1) as LivePoint).work - (points[middle] as LivePoint).work;
  return late.slope * lateWork > bar / 3 && late.slope > 0.5 * early.slope;
}

/** Input of the verdict on a whole run. */
export interface StressEvidence {
  readonly plans: readonly (PlanRow & {
    readonly hasDied: boolean;
    readonly faults: ReadonlyMap<string, number>;
  })[];
  readonly injections: readonly InjectionRow[];
  readonly checks: readonly CheckRow[];
  readonly hypotheses: readonly HypothesisRow[];
  readonly findings: Report['findings'];
  readonly isInterrupted: boolean;
}

/** PASS, PASS WITH CONCERNS or FAIL, with every reason. */
export function judgeStress(evidence: StressEvidence): Pick<StressSection, 'verdict' | 'reasons'> {
  const { plans, injections, checks, hypotheses, findings, isInterrupted } = evidence;
  const faults: string[] = [];
  const concerns: string[] = [];
  const holder = findings.find(({ trace, severity }) => trace !== undefined && severity !== 'info');
  for (const row of plans) {
    if (row.hasDied) faults.push(`${row.plan}: the process ended in the middle (${row.exit}).`);
    if (row.verdict === 'leak')
      faults.push(`${row.plan}: ${row.why}${holder === undefined ? '' : ` Fix: ${holder.fix}`}`);
    if (row.verdict === 'undecided') concerns.push(`${row.plan}: undecided, ${row.why}`);
    const [worst] = [...row.faults].sort((a, b) => b[1] - a[1]);
    const failed = `${row.plan}: ${row.errors.toLocaleString('en-US')} of ${row.calls.toLocaleString('en-US')} calls failed${worst === undefined ? '' : `, mostly ${worst[0]}`}.`;
    if (row.calls === 0) concerns.push(`${row.plan}: no call was made.`);
    else if (row.plan === 'baseline' && row.errors > errorShare * row.calls) faults.push(failed);
    else if (row.errors > 0) concerns.push(failed);
  }
  for (const { name, text, outcome } of checks) {
    if (outcome === 'failed') faults.push(`silent failure, ${name}: ${text}.`);
    if (outcome === 'undecided') concerns.push(`${name}: ${text}.`);
  }
  for (const { id, text, outcome, measured } of hypotheses) {
    if (outcome === 'rejected') faults.push(`hypothesis ${id} (${text}) is rejected: ${measured}.`);
    if (outcome === 'undecided') concerns.push(`hypothesis ${id} (${text}) is undecided: ${measured}.`);
  }
  for (const { name, outcome, note } of injections)
    if (outcome === 'hurt')
      (/the process ended|fails afterwards/.test(note) ? faults : concerns).push(`${name}: ${note}.`);
  if (isInterrupted) concerns.push('it was stopped before its end.');
  const verdict: StressVerdict =
    faults.length > 0 ? 'FAIL' : concerns.length > 0 ? 'PASS WITH CONCERNS' : 'PASS';
  const held = injections.filter(({ outcome }) => outcome === 'held').length;
  const fine = `${plans.map(({ plan }) => plan).join(', ')}: memory does not grow${injections.length === 0 ? '' : `, ${held} injected faults survived`}.`;
  return { verdict, reasons: verdict === 'PASS' ? [fine] : [...faults, ...concerns] };
}

function signed(bytes: number): string {
  return bytes < 0 ? `-${formatByteSize(-bytes)}` : formatByteSize(bytes);
}
