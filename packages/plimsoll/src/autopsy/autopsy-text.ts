import { formatByteSize, formatDuration, formatUsedOfLimit } from '@plimsoll/core/units';
import { printable } from '../screen/table.ts';
import type { Autopsy } from './autopsy.ts';

const shownReadings = 8;
const shownFrames = 6;
const shownSites = 5;

/** An autopsy as a person reads it: one page. */
export function autopsyText(autopsy: Autopsy): string {
  const { pid, target, release, cause, startedAt, endedAt, memory, fix } = autopsy;
  const lived = startedAt === null || endedAt === null ? '' : ` after ${formatDuration(endedAt - startedAt)}`;
  const when = endedAt === null ? '' : ` at ${new Date(endedAt).toISOString().slice(0, 19)}Z`;
  const lines = [
    `autopsy of pid ${pid} (${printable(target)}${release === null ? '' : `, release ${printable(release)}`}), ended${when}${lived}`,
    `  cause     ${printable(cause.text)} (${cause.name}, ${cause.sure})`,
    ...cause.evidence.map((line, i) => `  ${i === 0 ? 'evidence  ' : '          '}${printable(line)}`),
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
  autopsy.stack
    .slice(0, shownFrames)
    .forEach((frame, i) => lines.push(`  ${i === 0 ? 'stack     ' : '          '}${printable(frame)}`));
  lines.push(`  fix       ${fix}`);
  return `${lines.join('\n')}\n`;
}

/** Where the memory came from that was alive shortly before the end. */
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
  return [
    ...grown.map((line, i) => `  ${i === 0 ? 'holders   ' : '          '}${line}`),
    ...[...rows, ...asked].map((line, i) => `  ${i === 0 ? 'sites     ' : '          '}${line}`),
  ];
}

/** A few readings of the last minute, evenly chosen, with the last one. */
function minuteLines({ lastMinute }: Autopsy): readonly string[] {
  if (lastMinute.length < 2) return [];
  const step = Math.max(1, Math.ceil(lastMinute.length / shownReadings));
  const shown = lastMinute.filter((_, i) => (lastMinute.length - 1 - i) % step === 0);
  return shown.map(
    ({ at, used, limit, level, rss }, i) =>
      `  ${i === 0 ? 'minute    ' : '          '}${new Date(at).toISOString().slice(11, 19)} ${formatUsedOfLimit(used, limit)}, rss ${formatByteSize(rss)}, ${level}`,
  );
}

function heldLines({ grew }: Autopsy): readonly string[] {
  return grew.map(({ name, bytes, grewBytes }, i) => {
    const sign = grewBytes >= 0 ? '+' : '-';
    return `  ${i === 0 ? 'grew      ' : '          '}${printable(name)}: ${sign}${formatByteSize(Math.abs(grewBytes))}, ${formatByteSize(bytes)} at the end`;
  });
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
