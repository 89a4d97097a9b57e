import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { findingLines, type DrawTrace } from '../screen/finding-text.ts';
import { formatTable, printable } from '../screen/table.ts';
import type { Look, snapshotCost } from './look.ts';
import type { AttachedProcess } from './process-facts.ts';
import type { AttachedVitals } from './vitals.ts';

const shownSites = 10;

/** The cost of attaching, printed before anything is done. */
export function priceText(facts: AttachedProcess, forMs: number, snapshots: 'none' | 'one' | 'pair'): string {
  const lines = [
    `plimsoll: attaching to ${facts.pid} (${printable(facts.program)}, rss ${formatByteSize(facts.rssBytes)}) for ${formatDuration(forMs)}.`,
    '  opens its inspector on 127.0.0.1 (it says "Debugger listening" on its stderr) and closes it again;',
    '  readings cost it about 1 ms each, the allocation profile 1 to 3 % of a core and one full GC at the end',
  ];
  if (snapshots === 'pair') lines.push('  a full GC before each of 12 readings, about 1 ms per MB of heap;');
  if (snapshots !== 'none')
    lines.push('  each snapshot stops it; the estimate follows when the size of its heap is known.');
  return `${lines.join('\n')}\n`;
}

export function snapshotPriceText(cost: ReturnType<typeof snapshotCost>, count: number): string {
  return `plimsoll: ${count === 1 ? 'a snapshot' : 'each of 2 snapshots'} stops it for about ${formatDuration(cost.stopMs)} and needs up to ${formatByteSize(cost.neededBytes)}.\n`;
}

export function vitalsLine(vitals: AttachedVitals): string {
  const { heapUsed, heapLimit, external, arrayBuffers, rss } = vitals;
  return `  ${new Date(vitals.at).toISOString().slice(11, 19)}  heap ${formatByteSize(heapUsed)} of ${formatByteSize(heapLimit)}  external ${formatByteSize(external)}  array buffers ${formatByteSize(arrayBuffers)}  rss ${formatByteSize(rss)}\n`;
}

/** The result, for a person. */
export function lookText(look: Look, draw: DrawTrace | undefined): string {
  const lines = [`verdict ${look.verdict}: ${look.why}`];
  if (look.captures.length > 0) {
    lines.push(`stood still for ${look.captures.map((each) => formatDuration(each.stopMs)).join(' and ')}`);
  }
  lines.push('', 'live bytes allocated while we looked, by function');
  lines.push(
    ...formatTable(
      [
        { title: 'site', cell: (row) => row.site },
        { title: 'bytes', align: 'right', cell: (row) => formatByteSize(row.bytes) },
        { title: 'share', align: 'right', cell: (row) => `${Math.round(100 * row.ratio)} %` },
      ],
      look.sites.slice(0, shownSites),
      100,
    ),
  );
  for (const finding of look.findings) lines.push('', ...findingLines(finding, draw));
  for (const suspect of look.evidence?.suspects.slice(0, 3) ?? []) {
    lines.push('', `suspect: ${suspect.summary}`);
    if (draw !== undefined)
      lines.push(
        ...draw(suspect.trace)
          .split('\n')
          .map((line) => `  ${line}`),
      );
  }
  return `${lines.join('\n')}\n`;
}
