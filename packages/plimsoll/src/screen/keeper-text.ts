import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type { DelegationRow, Forecast, Frame, KeeperRow } from '@plimsoll/host/protocol/frame';
import { holdersOf, type HolderFacts } from '@plimsoll/host/protocol/text';
import { formatTable, type Column } from './table.ts';

/** The holders of the live memory at the last major GC, in one line whose parts add up. */
export function heldText(frame: HolderFacts): string {
  const holders = holdersOf(frame);
  if (holders === null) return 'known after the first major GC';
  const { scopes, keepers, rest, total } = holders;
  const parts = [
    `in scopes ${formatByteSize(scopes)}`,
    ...(keepers === 0 ? [] : [`in keepers ${formatByteSize(keepers)}`]),
    `in neither ${formatByteSize(rest)}`,
  ];
  return `${formatByteSize(total)} (heap after GC and external): ${parts.join(', ')}`;
}

/** When the limit is reached. */
export function forecastText({ ms, low, high, bytesPerHour, endMs }: Forecast): string {
  const rate = `${formatByteSize(bytesPerHour)} per hour`;
  if (ms <= 0) return `the limit is reached, growing by ${rate}`;
  // An open end is Infinity in the process and null in JSON.
  const end = (high as number | null) ?? Infinity;
  const band = Number.isFinite(end)
    ? `${formatDuration(low)} to ${formatDuration(end)}`
    : `${formatDuration(low)} or later`;
  const death = endMs === undefined || endMs <= ms ? '' : `; V8 aborts in about ${formatDuration(endMs)}`;
  return `full in ${formatDuration(ms)} (${band}) if it goes on growing by ${rate}${death}`;
}

export function delegationText({ active, depth, denied, started, blockedRatio }: DelegationRow): string {
  return `${active} running, ${depth} deep; ${denied} of ${denied + started} refused (${Math.round(100 * blockedRatio)} %)`;
}

const count = (value: number | null): string => (value === null ? '-' : value.toLocaleString('en-US'));

const columns: readonly Column<KeeperRow>[] = [
  { title: 'keeper', cell: ({ name, kind }) => `${kind} ${name}` },
  { title: 'bytes', align: 'right', cell: (row) => formatByteSize(row.bytes) },
  { title: 'bound', align: 'right', cell: boundText },
  { title: 'entries', align: 'right', cell: (row) => count(row.entries) },
  { title: 'parked', align: 'right', cell: (row) => count(row.parked) },
  {
    title: 'hits',
    align: 'right',
    cell: ({ hitRatio }) => (hitRatio === null ? '-' : `${Math.round(100 * hitRatio)} %`),
  },
  { title: 'leases', align: 'right', cell: (row) => count(row.leases) },
  { title: 'charged to', cell: (row) => row.scope?.replace(/^process\//, '') ?? 'no scope' },
];

function boundText({ bytes, boundBytes, boundEntries }: KeeperRow): string {
  if (boundBytes !== null && boundBytes > 0)
    return `${formatByteSize(boundBytes)} (${Math.round((100 * bytes) / boundBytes)} %)`;
  return boundEntries === null ? '-' : `${count(boundEntries)} entries`;
}

/** The heaviest keepers as a table; no lines where there are none. */
export function keeperLines(
  { keepers }: Pick<Frame, 'keepers'>,
  most: number,
  width: number,
): readonly string[] {
  if (keepers.length === 0 || most <= 0) return [];
  const rows = keepers.toSorted((a, b) => b.bytes - a.bytes).slice(0, most);
  const left = keepers.length - rows.length;
  return [...formatTable(columns, rows, width), ...(left > 0 ? [`and ${count(left)} lighter ones`] : [])];
}
