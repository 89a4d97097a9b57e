import { formatByteSize, formatDuration, formatUsedOfLimit } from '@plimsoll/core/units';
import type { AuditRecord, LedgerGrowth, RunRow, Story, Summary } from '@plimsoll/ledger';
import { printable, formatTable } from '../screen/table.ts';
import { growthPhrase } from './growth-text.ts';
import { clockText, dateText } from './time-option.ts';

const shownEvents = 40;

/** The data of `plimsoll ledger summary`, as printed with --json. */
interface LedgerSummary {
  readonly dir: string;
  readonly story: Story | null;
  readonly summary: Summary;
  readonly growth: LedgerGrowth;
  readonly otherRuns: readonly RunRow[];
}

/** The story of a run for a reader without other knowledge of it. */
export function storyText(found: LedgerSummary): string {
  const { story, otherRuns } = found;
  if (story === null) return `The ledger in ${found.dir} holds no run yet.\n`;
  const others = story.others.filter((entry) => entry.kind !== 'resume');
  const lines = [
    ...head(story),
    ...before(story),
    ...memory(story, found.growth),
    ...events('levels', story.levels, levelLine, 'no change recorded'),
    ...events('findings', story.findings, findingLine, 'none'),
    ...events('actions', story.actions, actionLine, 'none'),
    ...(others.length === 0 ? [] : events('also', others, otherLine, '')),
    ...scopes(found.summary, story),
  ];
  if (otherRuns.length > 0) {
    const names = otherRuns.slice(0, 3).map((run) => `--run ${run.run} (${dateText(run.started)})`);
    lines.push(label('earlier', `${otherRuns.length} more runs in this ledger: ${names.join(', ')}`));
  }
  return `${lines.join('\n')}\n`;
}

function head(story: Story): string[] {
  const body = story.start?.body ?? {};
  const command = text(body['command'] ?? body['target']) ?? 'a process';
  const pid = story.pid === undefined ? '' : `, pid ${story.pid}`;
  const host = story.host === undefined ? '' : ` on ${story.host}`;
  const lasted = formatDuration(Math.max(0, story.lastSeen - story.started));
  return [
    label('run', printable(`${command}${pid}${host}`)),
    label('time', `${dateText(story.started)} to ${dateText(story.lastSeen)} (${lasted})`),
    label('end', printable(ending(story))),
  ];
}

/** The end of the previous life when it was not planned. */
function before(story: Story): string[] {
  const resume = story.others.find((entry) => entry.kind === 'resume');
  const told = resume === undefined ? undefined : text(resume.body['text']);
  return told === undefined ? [] : [label('before', printable(told))];
}

function ending(story: Story): string {
  if (story.state === 'running') return 'still running';
  if (story.exit === undefined) {
    const near = story.last?.limit === undefined ? '' : `; it last used ${used(story.last)}`;
    return `no exit was recorded and the process is gone: killed, crashed or out of memory${near}`;
  }
  const { reason, code, signal, suspectedOutOfMemory, story: deaths } = story.exit.body;
  const how =
    text(signal) === undefined ? `exit code ${text(code) ?? 'unknown'}` : `ended by ${text(signal)}`;
  const memory = suspectedOutOfMemory === true ? ', suspected out of memory' : '';
  const why = text(reason) === undefined || reason === 'exit' ? '' : ` (${text(reason)})`;
  const again = text(deaths) === undefined ? '' : `; ${text(deaths)}`;
  return `${how}${memory}${why} at ${clockText(story.exit.at)}${again}`;
}

function memory(story: Story, growth: LedgerGrowth): string[] {
  const body = story.start?.body ?? {};
  const limit = number(body['limit'] ?? body['limitBytes']) ?? story.last?.limit ?? story.peak?.limit;
  const source = text(body['limitSource'] ?? body['limitText']);
  const process = growth.rows.find((row) => row.scope === 'process');
  const fastest = growth.rows.find((row) => row.scope !== 'process' && row.bytesPerHour > 0);
  return [
    label(
      'limit',
      limit === undefined
        ? 'not recorded'
        : `${formatByteSize(limit)}${source === undefined ? '' : ` (${printable(source)})`}`,
    ),
    ...(story.first === undefined ? [] : [label('start', used(story.first))]),
    ...(story.peak === undefined
      ? []
      : [label('peak', `${used(story.peak)} at ${clockText(story.peak.at)}`)]),
    ...(story.last === undefined
      ? []
      : [label('last', `${used(story.last)} at ${clockText(story.last.at)}`)]),
    label('growth', process === undefined ? 'too few samples for a line' : growthPhrase(process)),
    ...(fastest === undefined ? [] : [label('', `fastest scope ${growthPhrase(fastest)}`)]),
  ];
}

function used(moment: NonNullable<Story['peak']>): string {
  const { usedBytes, limit } = moment;
  return limit === undefined ? formatByteSize(usedBytes) : formatUsedOfLimit(usedBytes, limit);
}

function events(
  name: string,
  entries: readonly AuditRecord[],
  line: (entry: AuditRecord) => string,
  none: string,
): string[] {
  if (entries.length === 0) return [label(name, none)];
  const shown = entries.slice(-shownEvents);
  const hidden = entries.length - shown.length;
  const lines = shown.map((entry) => printable(`${clockText(entry.at)}  ${line(entry)}`));
  if (hidden > 0) lines.unshift(`... ${hidden} earlier (plimsoll ledger export --only audit)`);
  return lines.map((item, i) => label(i === 0 ? name : '', item));
}

function levelLine({ scope, body }: AuditRecord): string {
  const bytes = number(body['usedBytes'] ?? body['used'] ?? body['bytes']);
  const limit = number(body['limit'] ?? body['limitBytes'] ?? body['budget']);
  const amount =
    bytes === undefined
      ? ''
      : limit === undefined
        ? `, ${formatByteSize(bytes)}`
        : `, ${formatUsedOfLimit(bytes, limit)}`;
  return `${scope}: ${text(body['from']) ?? '?'} -> ${text(body['to'] ?? body['level']) ?? '?'}${amount}`;
}

function findingLine({ scope, body }: AuditRecord): string {
  const bytes = number(body['bytes']);
  const what = text(body['message']) ?? text(body['kind']) ?? 'finding';
  return `${scope}: ${text(body['severity']) ?? 'info'}, ${what}${bytes === undefined ? '' : `, ${formatByteSize(bytes)}`}`;
}

function actionLine({ scope, body }: AuditRecord): string {
  const freed = number(body['freedBytes']);
  const outcome = text(body['outcome']);
  return `${scope}: ${text(body['action']) ?? 'action'}${outcome === undefined ? '' : `, ${outcome}`}${freed === undefined ? '' : `, freed ${formatByteSize(freed)}`}`;
}

function otherLine({ kind, scope, body }: AuditRecord): string {
  const words = Object.entries(body)
    .map(([key, value]) => `${key} ${text(value) ?? JSON.stringify(value)}`)
    .join(', ');
  return `${kind} ${scope}${words === '' ? '' : `: ${words.slice(0, 200)}`}`;
}

function scopes(summary: Summary, story: Story): string[] {
  if (summary.rows.length === 0) return [label('scopes', 'no samples')];
  const title = `${story.scopes.toLocaleString('en-US')} scopes, ${story.samples.toLocaleString('en-US')} samples`;
  return [label('scopes', title), ...summaryTable(summary).map((line) => label('', line))];
}

const label = (name: string, words: string): string => `${name.padEnd(10)}${words}`.trimEnd();

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** The rows of a summary as a table, largest first. */
export function summaryTable(summary: Summary): readonly string[] {
  const table = formatTable(
    [
      { title: 'scope', cell: (row) => row.key },
      { title: 'scopes', align: 'right', cell: (row) => row.scopes.toLocaleString('en-US') },
      { title: 'samples', align: 'right', cell: (row) => row.samples.toLocaleString('en-US') },
      { title: 'min', align: 'right', cell: (row) => formatByteSize(row.minBytes) },
      { title: 'average', align: 'right', cell: (row) => formatByteSize(row.avgBytes) },
      { title: 'p95', align: 'right', cell: (row) => formatByteSize(row.p95Bytes) },
      { title: 'max', align: 'right', cell: (row) => formatByteSize(row.maxBytes) },
      { title: 'last', align: 'right', cell: (row) => formatByteSize(row.lastBytes) },
    ],
    summary.rows,
    110,
  );
  return summary.more === 0
    ? table
    : [...table, `... ${summary.more.toLocaleString('en-US')} more (--limit)`];
}
