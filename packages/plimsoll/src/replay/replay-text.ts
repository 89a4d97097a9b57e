import { formatDuration } from '@plimsoll/core/units';
import { dateText } from '../ledger/time-option.ts';
import { formatTable } from '../screen/table.ts';
import type { ClassTally } from './replay-tally.ts';
import type { Replay, ReplaySide } from './replay.ts';

interface Line {
  readonly scope: string;
  readonly what: string;
  readonly before: number;
  readonly after: number;
}

const raised = ['warning', 'critical', 'emergency'] as const;
const nothing: ClassTally = { rises: { warning: 0, critical: 0, emergency: 0 }, raisedMs: 0, actions: {} };

/** The difference as a page of text. */
export function replayText(replay: Replay): string {
  const { before, after } = replay;
  const counted = [
    `${replay.rows.toLocaleString('en-US')} rows`,
    `${replay.readings.toLocaleString('en-US')} readings`,
    `${replay.runs} ${replay.runs === 1 ? 'run' : 'runs'}`,
    `${replay.scopes.toLocaleString('en-US')} scopes`,
  ];
  const names = classNames(replay);
  const levels = names.flatMap((scope) => levelLines(scope, of(before, scope), of(after, scope)));
  const actions = names.flatMap((scope) => actionLines(scope, of(before, scope), of(after, scope)));
  const times = names.map(
    (scope) =>
      `  ${scope.padEnd(10)} above normal for ${formatDuration(of(before, scope).raisedMs)}, now ${formatDuration(of(after, scope).raisedMs)}`,
  );
  return [
    `${nameOf(after)} over ${formatDuration(replay.until - replay.since)} of history from ${dateText(replay.since)}: ${counted.join(', ')}`,
    `compared with ${nameOf(before)}`,
    '',
    ...(names.length === 0 ? ['no level would have changed and nothing would have been done'] : []),
    ...(levels.length === 0 ? [] : ['levels reached', ...table('level', levels, before), '']),
    ...(actions.length === 0 ? [] : ['actions begun', ...table('action', actions, before), '']),
    ...(times.length === 0 ? [] : ['time', ...times, '']),
    ...(levels.length + actions.length > 0 && isSame([...levels, ...actions]) ? ['no difference', ''] : []),
    'limits of a replay',
    ...replay.cannotKnow.map((each) => `  - ${each}`),
    '',
  ].join('\n');
}

function table(what: string, lines: readonly Line[], before: ReplaySide): readonly string[] {
  return formatTable(
    [
      { title: 'class', cell: (line: Line) => line.scope },
      { title: what, cell: (line: Line) => line.what },
      {
        title: before.of === 'recorded' ? 'recorded' : 'old',
        align: 'right',
        cell: (line: Line) => line.before.toLocaleString('en-US'),
      },
      { title: 'new', align: 'right', cell: (line: Line) => line.after.toLocaleString('en-US') },
      { title: 'change', align: 'right', cell: (line: Line) => change(line.after - line.before) },
    ],
    lines,
    120,
  );
}

function change(by: number): string {
  if (by === 0) return '=';
  return `${by > 0 ? '+' : '-'}${Math.abs(by).toLocaleString('en-US')}`;
}

function levelLines(scope: string, before: ClassTally, after: ClassTally): readonly Line[] {
  return raised
    .map((what) => ({ scope, what, before: before.rises[what], after: after.rises[what] }))
    .filter((line) => line.before + line.after > 0);
}

function actionLines(scope: string, before: ClassTally, after: ClassTally): readonly Line[] {
  const names = [...new Set([...Object.keys(before.actions), ...Object.keys(after.actions)])].sort();
  return names.map((what) => ({
    scope,
    what,
    before: before.actions[what] ?? 0,
    after: after.actions[what] ?? 0,
  }));
}

/** The process first, then kinds by name. */
function classNames({ before, after }: Replay): readonly string[] {
  const names = [...new Set([...Object.keys(before.classes), ...Object.keys(after.classes)])];
  return names.sort((a, b) => Number(b === 'process') - Number(a === 'process') || (a < b ? -1 : 1));
}

function of({ classes }: ReplaySide, scope: string): ClassTally {
  return classes[scope] ?? nothing;
}

function nameOf(side: ReplaySide): string {
  if (side.of === 'recorded') return 'what the ledger recorded';
  return `${side.file} (revision ${side.revision}, mode ${side.mode})`;
}

function isSame(lines: readonly Line[]): boolean {
  return lines.every(({ before, after }) => before === after);
}
