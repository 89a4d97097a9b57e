import { formatByteSize, formatDuration, formatUsedOfLimit } from '@plimsoll/core/units';
import type { Frame, ScopeRow, ActionRow, ApprovalRow, Level } from '@plimsoll/host/protocol/frame';
import { findingLine } from './finding-text.ts';
import { delegationText, forecastText, heldText, keeperLines } from './keeper-text.ts';
import { formatTable, printable, type Column } from './table.ts';
import { freedText, suspicionOf, suspicionText } from '@plimsoll/host/protocol/text';
import { styleText } from 'node:util';

/** The compact live line: level, used of limit, heaviest scope. */
export function liveLine(frame: Frame, colour: boolean): string {
  const top = frame.scopes[0];
  const parts = [
    `${bold('plimsoll', colour)} ${levelText(frame.level, colour)}`,
    formatUsedOfLimit(frame.reading.used, frame.limits.bytes),
    `${frame.scopeCount} scopes`,
    ...(top === undefined ? [] : [`top ${printable(shortPath(top.path))} ${formatByteSize(top.bytes)}`]),
    `rss ${formatByteSize(frame.reading.rss)}`,
    ...(frame.forecast == null ? [] : [forecastText(frame.forecast)]),
    ...(openIncident(frame) ?? findingWords(frame)),
    ...suspicionWords(frame),
    ...faultWords(frame),
  ];
  return parts.join(dim(' · ', colour));
}

/** Suspected growth without a finding. */
function suspicionWords({ growth, findings }: Frame): readonly string[] {
  const suspicion = suspicionOf(growth);
  const isTold = findings.some(({ kind, severity }) => kind === 'growth' && severity !== 'info');
  return suspicion === null || isTold ? [] : [printable(suspicionText(suspicion))];
}

/** Faults of policy and ledger, in words. */
function faultWords({ policy, ledger }: Frame): readonly string[] {
  return [
    ...(policy.fault === null ? [] : ['the newest policy was refused']),
    ...(ledger.fault === null ? [] : ['the ledger fails']),
  ];
}

/** The headline of the incident that lasts; undefined without one. */
function openIncident({ incident }: Frame): readonly string[] | undefined {
  return incident === null || incident.outcome !== null ? undefined : [printable(incident.headline)];
}

/** The gravest finding, if there is one. */
function findingWords({ findings }: Frame): readonly string[] {
  const [worst] = findings;
  if (worst === undefined) return [];
  const more = findings.length > 1 ? ` and ${findings.length - 1} more` : '';
  return [`${findingLine(worst)}${more}`];
}

function shortPath(path: string): string {
  return path.replace(/^process\//, '');
}

/** The orders of the table, in the sequence of the sort key. */
export const sortKeys = ['bytes', 'peak', 'budget', 'age', 'idle', 'name'] as const;
export type ScreenSort = (typeof sortKeys)[number];

const order: Readonly<Record<ScreenSort, (a: ScopeRow, b: ScopeRow) => number>> = {
  bytes: (a, b) => b.bytes - a.bytes,
  peak: (a, b) => b.peakBytes - a.peakBytes,
  budget: (a, b) => share(b) - share(a) || b.bytes - a.bytes,
  age: (a, b) => b.ageMs - a.ageMs,
  idle: (a, b) => b.idleMs - a.idleMs,
  name: (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
};

/** Used share of the budget; scopes without one come last. */
function share({ bytes, budgetBytes }: ScopeRow): number {
  return budgetBytes === null || budgetBytes === 0 ? -1 : bytes / budgetBytes;
}

const columns: readonly Column<ScopeRow>[] = [
  { title: 'scope', cell: (row) => row.path },
  {
    title: 'bytes',
    align: 'right',
    cell: (row) => scopeBytesText(row),
  },
  { title: 'peak', align: 'right', cell: (row) => formatByteSize(row.peakBytes) },
  { title: 'budget', align: 'right', cell: (row) => budget(row) },
  { title: 'level', cell: (row) => row.level },
  { title: 'age', align: 'right', cell: (row) => formatDuration(row.ageMs) },
  { title: 'idle', align: 'right', cell: (row) => (row.leases > 0 ? 'leased' : formatDuration(row.idleMs)) },
];

/** Bytes of a scope, or a placeholder for a scope without charges that the census has not walked yet. */
function scopeBytesText({ by, bytes, measuredAt }: ScopeRow): string {
  if (measuredAt === null && bytes === 0) return '?';
  return `${by === 'account' ? '~' : ''}${formatByteSize(bytes)}`;
}

function budget(row: ScopeRow): string {
  if (row.budgetBytes === null) return '-';
  return `${formatByteSize(row.budgetBytes)} (${Math.round((100 * row.bytes) / row.budgetBytes)} %)`;
}

interface ScreenOptions {
  readonly sort: ScreenSort;
  readonly filter: string;
  readonly rows: number;
  readonly columns: number;
  readonly colour: boolean;
}

/**
 * The whole screen of `plimsoll top`: the process, findings and actions, then the scopes. `scopes` are all scopes if they are known; a
 * frame has only the heaviest.
 */
export function screenLines(
  frame: Frame,
  options: ScreenOptions,
  scopes: readonly ScopeRow[] = frame.scopes,
): readonly string[] {
  const head = [...headLines(frame, options.colour), ...workerLines(frame)];
  const keepers = keeperLines(frame, Math.min(shownKeepers, Math.floor(options.rows / 5)), options.columns);
  const matching = scopes.filter((row) => row.path.includes(options.filter));
  const rows = [...matching]
    .sort(order[options.sort])
    .slice(
      0,
      Math.max(0, options.rows - head.length - closingLines - (keepers.length && keepers.length + 1)),
    );
  const note = options.filter === '' ? '' : `, filter "${printable(options.filter)}" (${matching.length})`;
  return [
    ...head,
    '',
    ...formatTable(columns, rows, options.columns),
    ...(keepers.length === 0 ? [] : ['', ...keepers]),
    '',
    dim(
      `sort ${options.sort}${note}   s sort   / filter   q quit   ~ as charged by the program`,
      options.colour,
    ),
  ];
}

const shownKeepers = 5;
const shownWorkers = 3;

/** The largest heaps of worker threads. */
function workerLines({ workers = [] }: Frame): readonly string[] {
  return workers.slice(0, shownWorkers).map(({ threadId, name, heapUsed, limitBytes }) => {
    const ratio = `${Math.round((100 * heapUsed) / limitBytes)} %`;
    return `worker ${threadId}  ${printable(name)}  ${formatByteSize(heapUsed)} of ${formatByteSize(limitBytes)} (${ratio})`;
  });
}

/** Below the head: a space, the titles, a space, the keys. */
const closingLines = 4;

function headLines(frame: Frame, colour: boolean): readonly string[] {
  const { reading } = frame;
  const floor =
    reading.floor === undefined
      ? 'no major GC yet'
      : `after GC ${formatByteSize(reading.floor)} (${formatDuration(reading.floorAgeMs ?? 0)} ago)`;
  return [
    `${bold('plimsoll top', colour)}  pid ${frame.pid}  ${printable(frame.target)}  up ${formatDuration(frame.at - frame.startedAt)}`,
    `level ${levelText(frame.level, colour)}  used ${formatUsedOfLimit(reading.used, frame.limits.bytes)} (${frame.limits.source} limit)  highest ${formatByteSize(frame.watermark.usedBytes)}`,
    `heap ${formatByteSize(reading.heapUsed)}, ${floor}  external ${formatByteSize(reading.external)}, array buffers ${formatByteSize(reading.arrayBuffers)} of it  rss ${formatByteSize(reading.rss)}`,
    `major GCs ${reading.majors}, stopped for ${formatDuration(reading.gc.pauseMs)} since the last reading  loop delay ${formatDuration(reading.loopDelayMs)}  plimsoll itself ${formatByteSize(reading.self.bytes)}, ${(100 * reading.self.cpuRatio).toFixed(2)} % cpu`,
    `held ${heldText(frame)}`,
    `${frame.scopeCount} scopes open  mode ${frame.policy.mode}`,
    ...(frame.delegation == null ? [] : [`delegations ${delegationText(frame.delegation)}`]),
    ...(frame.forecast == null ? [] : [`forecast ${forecastText(frame.forecast)}`]),
    ...suspicionWords(frame).map((text) => `suspected ${text}`),
    ...(openIncident(frame)?.map(
      (words) =>
        `incident since ${formatDuration(frame.at - (frame.incident?.openedAt ?? frame.at))}: ${words}`,
    ) ?? []),
    ...findingWords(frame).map((words) => `finding ${words}`),
    ...governanceLines(frame).map(printable),
  ];
}

/** One line each for refused work, the newest action and waiting approvals. Empty when there is none. */
function governanceLines({ governance, at }: Frame): readonly string[] {
  const { admission, actions, approvals, counts } = governance;
  const newest = actions.at(-1);
  const waiting = approvals.filter((row) => row.state === 'open').sort((a, b) => a.deadlineAt - b.deadlineAt);
  const [next] = waiting;
  return [
    ...(admission === null || admission.state === 'open'
      ? []
      : [
          `admission ${admission.state}: ${Math.round(100 * admission.ratio)} % of new sheddable work is refused, ${admission.refused} so far`,
        ]),
    ...(newest === undefined ? [] : [actionLine(newest, counts, at)]),
    ...(next === undefined ? [] : [approvalLine(next, waiting.length, at)]),
  ];
}

function actionLine(row: ActionRow, counts: Frame['governance']['counts'], now: number): string {
  const freed = row.freedBytes === null ? '' : `, ${freedText(row.freedBytes)}`;
  const all = [
    ...(counts.cleanups > 0
      ? [`${counts.cleanups} cleanups freed ${formatByteSize(counts.freedBytes)} so far`]
      : []),
    ...(counts.wouldHave > 0 ? [`${counts.wouldHave} only written down`] : []),
  ];
  const sum = all.length === 0 ? '' : ` (${all.join(', ')})`;
  return `action ${row.action} ${row.outcome} ${formatDuration(Math.max(0, now - row.at))} ago on ${row.scope}${freed}${sum}`;
}

function approvalLine(row: ApprovalRow, count: number, now: number): string {
  const more = count > 1 ? ` and ${count - 1} more` : '';
  const left = formatDuration(Math.max(0, row.deadlineAt - now));
  return `approval ${row.id} waits: ${row.action} on ${row.scope}, ${left} left, then ${row.onExpiry}${more} (plimsoll approvals)`;
}

/** Colours a level word; plain text when the output is not a terminal. */
export function levelText(level: Level, colour: boolean): string {
  if (!colour) return level;
  const style = {
    normal: 'green',
    warning: 'yellow',
    critical: 'red',
    emergency: ['bold', 'red', 'inverse'],
  } satisfies Record<Level, Parameters<typeof styleText>[0]>;
  return styleText(style[level], level, { validateStream: false });
}

export function dim(text: string, colour: boolean): string {
  return colour ? styleText('dim', text, { validateStream: false }) : text;
}

export function bold(text: string, colour: boolean): string {
  return colour ? styleText('bold', text, { validateStream: false }) : text;
}
