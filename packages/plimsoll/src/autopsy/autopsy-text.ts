import { formatByteSize, formatDuration, formatUsedOfLimit } from '@plimsoll/core/units';
import { printable } from '../screen/table.ts';
import { fewReadings } from './autopsy.ts';
import type { Autopsy } from './autopsy.ts';

const shownReadings = 8;
const shownFrames = 6;
const shownSites = 5;

/** An autopsy as one page of text. */
export function autopsyText(autopsy: Autopsy): string {
  const { pid, target, release, cause, startedAt, endedAt, memory, fix } = autopsy;
  const lived = startedAt === null || endedAt === null ? '' : ` after ${formatDuration(endedAt - startedAt)}`;
  const when = endedAt === null ? '' : ` at ${new Date(endedAt).toISOString().slice(0, 19)}Z`;
  const lines = [
    `autopsy of pid ${pid} (${printable(target)}${release === null ? '' : `, release ${printable(release)}`}), ended${when}${lived}`,
    `  cause     ${printable(cause.text)} (${cause.name}, ${cause.sure})`,
    ...labelled('evidence', cause.evidence.map(printable)),
  ];
  if (memory !== null) {
    const floor = memory.floor === null ? '' : `, floor ${formatByteSize(memory.floor)}`;
    lines.push(
      `  memory    ${formatUsedOfLimit(memory.used, memory.limit)} (${memory.source}), level ${memory.level}`,
      `            heap ${formatByteSize(memory.heapUsed)}${floor}, external ${formatByteSize(memory.external)}, array buffers ${formatByteSize(memory.arrayBuffers)}, rss ${formatByteSize(memory.rss)}`,
    );
  }
  lines.push(...minuteLines(autopsy), ...heldLines(autopsy), ...workLines(autopsy));
  if (autopsy.incident !== null) lines.push(`  incident  ${printable(autopsy.incident)}`);
  lines.push(...lastWordsLines(autopsy));
  lines.push(...labelled('stack', autopsy.stack.slice(0, shownFrames).map(printable)));
  lines.push(`  fix       ${fix}`);
  return `${lines.join('\n')}\n`;
}

/** Lines with a label before the first. */
function labelled(label: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, i) => `  ${(i === 0 ? label : '').padEnd(10)}${line}`);
}

/** Places that allocated the memory that was alive shortly before the end. */
function lastWordsLines({ lastWords }: Autopsy): readonly string[] {
  if (lastWords === null) return [];
  const { sites, containers = [], snapshot } = lastWords;
  const rows = sites.slice(0, shownSites).map(({ name, where, bytes = 0, bytesPerHour }) => {
    const held = bytesPerHour === undefined ? formatByteSize(bytes) : `+${formatByteSize(bytesPerHour)}/h`;
    return `${printable(name)} (${printable(where)}): ${held}`;
  });
  const asked =
    snapshot === null
      ? []
      : snapshot.state === 'armed'
        ? ['V8 was asked for a heap snapshot at its limit: look for Heap.*.heapsnapshot']
        : [
            `no heap snapshot: it needs ${formatByteSize(snapshot.neededBytes)} and ${formatByteSize(snapshot.freeBytes)} were free`,
          ];
  const grown = containers
    .slice(0, shownSites)
    .map(({ name, entries, gained }) => `${printable(name)}: ${entries} entries, ${gained} of them gained`);
  return [...labelled('holders', grown), ...labelled('sites', [...rows, ...asked])];
}

function minuteLines({ lastMinute }: Autopsy): readonly string[] {
  if (lastMinute.length < 2) return [];
  const lines = fewReadings(lastMinute, shownReadings).map(
    ({ at, used, limit, level, rss }) =>
      `${new Date(at).toISOString().slice(11, 19)} ${formatUsedOfLimit(used, limit)}, rss ${formatByteSize(rss)}, ${level}`,
  );
  return labelled('minute', lines);
}

function heldLines({ grew }: Autopsy): readonly string[] {
  const lines = grew.map(({ name, bytes, grewBytes }) => {
    const sign = grewBytes >= 0 ? '+' : '-';
    return `${printable(name)}: ${sign}${formatByteSize(Math.abs(grewBytes))}, ${formatByteSize(bytes)} at the end`;
  });
  return labelled('grew', lines);
}

function workLines({ open, refused, running }: Autopsy): readonly string[] {
  const kinds = Object.entries(open).filter(([, count]) => count > 0);
  return [
    ...(kinds.length === 0
      ? []
      : [`  open      ${kinds.map(([kind, count]) => `${count} ${printable(kind)}`).join(', ')}`]),
    ...(refused === 0 ? [] : [`  refused   ${refused.toLocaleString('en-US')} that asked to be let in`]),
    ...(running.length === 0 ? [] : [`  running   ${running.map(printable).join(', ')}`]),
  ];
}
