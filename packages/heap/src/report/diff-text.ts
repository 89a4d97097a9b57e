import type { Diff, Growth } from '../diff/diff.ts';
import { bytesText, countText, msText } from '../byte-text.ts';
import { plain, type Paint } from './paint.ts';
import { sparkline } from './sparkline.ts';
import { textTable } from './table.ts';
import { traceText } from './trace-text.ts';

/** A comparison for the terminal. */
export function diffText(
  diff: Diff,
  options: { readonly paint?: Paint; readonly traces?: number } = {},
): string {
  const paint = options.paint ?? plain;
  const all = [...diff.growth, ...diff.swollen];
  const shown = all.slice(0, options.traces ?? 3);
  const parts = [
    headText(diff, paint),
    ...shown.map((growth, i) => growthText(growth, i, all.length, paint)),
  ];
  if (shown.length === 0) parts.push('Nothing grows in every step by 10 objects or more.');
  const rest = all.length - shown.length;
  if (rest > 0) parts.push(`… and ${rest} more with --json`);
  if (diff.constructors.length > 0) parts.push(constructorsText(diff));
  return `${parts.join('\n\n')}\n`;
}

function headText(diff: Diff, paint: Paint): string {
  const lines = [
    paint.bold(diff.files.join(' → ')),
    `heap ${diff.heapBytes.map(bytesText).join(' → ')}  ${sparkline(diff.heapBytes)}   nodes ${diff.nodes.map(countText).join(' → ')}   ${msText(diff.ms)}`,
  ];
  if (diff.appeared !== undefined && diff.vanished !== undefined) {
    lines.push(
      `new ${countText(diff.appeared.objects)} objects, ${bytesText(diff.appeared.bytes)}; vanished ${countText(diff.vanished.objects)} objects, ${bytesText(diff.vanished.bytes)}`,
    );
  } else
    lines.push(
      'The object ids differ, as in different processes or after an inspector session ended: compared by path and class only.',
    );
  return lines.join('\n');
}

function growthText(growth: Growth, index: number, count: number, paint: Paint): string {
  const lines = [
    `${paint.bold(`growth ${index + 1} of ${count}`)}   fingerprint ${growth.fingerprint}   ${growth.severity}`,
    growth.summary,
    traceText(growth.trace, paint),
    `code: ${growth.code}`,
  ];
  if (growth.knownLeak !== undefined) {
    const { framework, versions, title, cure, link } = growth.knownLeak;
    lines.push(`known leak: ${framework} ${versions}: ${title}`, `cure: ${cure}`, `link: ${link}`);
  }
  return lines.map((line, i) => (i === 0 ? line : line.replaceAll(/^/gm, '  '))).join('\n');
}

function constructorsText(diff: Diff): string {
  const signed = (value: number, text: (value: number) => string): string =>
    value < 0 ? `-${text(-value)}` : `+${text(value)}`;
  return textTable(
    ['constructor', 'count', 'change', 'own bytes', 'retained'],
    diff.constructors.map((row) => {
      const change = (values: readonly number[]): number => (values.at(-1) as number) - (values[0] as number);
      return [
        row.name,
        countText(row.counts.at(-1) as number),
        signed(change(row.counts), countText),
        signed(change(row.shallowBytes), bytesText),
        signed(change(row.retainedBytes), bytesText),
      ];
    }),
  );
}
