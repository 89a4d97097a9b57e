import { formatByteSize, formatDuration, formatUsedOfLimit } from '@plimsoll/core/units';
import { printable } from '../screen/table.ts';
import type { Autopsy } from './autopsy.ts';

const shownReadings = 8;
const shownFrames = 6;

/** An autopsy as a person reads it: one page. */
export function autopsyText(autopsy: Autopsy): string {
  const { pid, target, cause, startedAt, endedAt, memory, fix } = autopsy;
  const lived = startedAt === null || endedAt === null ? '' : ` after ${formatDuration(endedAt - startedAt)}`;
  const when = endedAt === null ? '' : ` at ${new Date(endedAt).toISOString().slice(0, 19)}Z`;
  const lines = [
    `autopsy of pid ${pid} (${printable(target)}), ended${when}${lived}`,
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
  autopsy.stack
    .slice(0, shownFrames)
    .forEach((frame, i) => lines.push(`  ${i === 0 ? 'stack     ' : '          '}${printable(frame)}`));
  lines.push(`  fix       ${fix}`);
  return `${lines.join('\n')}\n`;
}

/** Several deaths as one story: how often, of what, how long after the start. Empty for a single one. */
export function storyText(deaths: readonly Autopsy[]): string {
  if (deaths.length < 2) return '';
  const counts = new Map<string, number>();
  for (const { cause } of deaths) counts.set(cause.name, (counts.get(cause.name) ?? 0) + 1);
  const causes = [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${count} x ${name}`);
  const ends = deaths.flatMap(({ endedAt }) => endedAt ?? []);
  const lived = deaths
    .flatMap(({ startedAt, endedAt }) =>
      startedAt === null || endedAt === null ? [] : [endedAt - startedAt],
    )
    .sort((a, b) => a - b);
  const span = ends.length < 2 ? '' : ` in ${formatDuration(Math.max(...ends) - Math.min(...ends))}`;
  const typical = lived[Math.floor(lived.length / 2)];
  const after = typical === undefined ? '' : `, typically ${formatDuration(typical)} after the start`;
  return `died ${deaths.length} times${span} (${causes.join(', ')})${after}\n`;
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
