import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { escapeHtml } from './html-text.ts';

/** One line of a plot. The class name gives its colour. */
interface PlotLine {
  readonly name: string;
  readonly className: string;
  readonly values: readonly (number | null)[];
}

interface PlotInput {
  readonly title: string;
  /** Ms since the epoch, rising. */
  readonly at: readonly number[];
  readonly lines: readonly PlotLine[];
  /** A horizontal line, drawn when it is within reach of the values. */
  readonly limit?: number | undefined;
  readonly height?: number;
  /** Vertical lines with a word. */
  readonly marks?: readonly { readonly at: number; readonly text: string }[];
}

const width = 960;
const defaultHeight = 280;
const margin = { left: 78, right: 16, top: 22, bottom: 34 };
/** A limit that is more times the highest value than this is not drawn, because it would flatten the lines. */
const limitReach = 2.5;

/**
 * Bytes over time as an SVG picture. It is drawn here and not by a script in the page, so that it can be printed and also shows where
 * scripts are not allowed, as in the artifact viewers of CI servers.
 */
export function plotSvg(input: PlotInput): string {
  const { at, lines, height = defaultHeight } = input;
  const all = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  if (at.length < 2 || all.length === 0) return '';
  const highest = Math.max(...all);
  const hasLimit = input.limit !== undefined && input.limit <= highest * limitReach;
  const top = niceBytes(Math.max(highest, hasLimit ? (input.limit as number) : 0) * 1.06);
  const from = at[0] as number;
  const to = Math.max(at.at(-1) as number, from + 1);
  const x = (time: number): number =>
    margin.left + ((time - from) / (to - from)) * (width - margin.left - margin.right);
  const y = (bytes: number): number =>
    height - margin.bottom - (bytes / top) * (height - margin.top - margin.bottom);
  return [
    `<figure class="plot"><div class="scroll" tabindex="0" role="region" aria-label="Plot of ${escapeHtml(input.title)}"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(labelOf(input))}">`,
    ...byteAxis(top, y),
    ...timeAxis(from, to, x, height),
    ...(input.marks ?? [])
      .filter((mark) => mark.at >= from && mark.at <= to)
      .map((mark, i) => markSvg(mark.text, x(mark.at), i, height)),
    ...(hasLimit ? [limitSvg(input.limit as number, y)] : []),
    ...lines.map((line) => `<path class="line ${line.className}" d="${pathOf(line.values, at, x, y)}"/>`),
    '</svg></div>',
    `<figcaption>${escapeHtml(input.title)}: ${lines.map((line) => `<span class="key ${line.className}">${escapeHtml(line.name)}</span>`).join(' ')}</figcaption></figure>`,
  ].join('');
}

/** The picture in one sentence, for screen readers. */
function labelOf({ title, lines, at }: PlotInput): string {
  const lasted = formatDuration((at.at(-1) as number) - (at[0] as number));
  const parts = lines.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${name} not known`;
    return `${name} from ${formatByteSize(known[0] as number)} to ${formatByteSize(known.at(-1) as number)}, highest ${formatByteSize(Math.max(...known))}`;
  });
  return `${title} over ${lasted}: ${parts.join('; ')}`;
}

function pathOf(
  values: readonly (number | null)[],
  at: readonly number[],
  x: (time: number) => number,
  y: (bytes: number) => number,
): string {
  let path = '';
  let isOpen = false;
  for (const [i, value] of values.entries()) {
    if (value === null) {
      isOpen = false;
      continue;
    }
    path += `${isOpen ? 'L' : 'M'}${x(at[i] as number).toFixed(1)} ${y(value).toFixed(1)}`;
    isOpen = true;
  }
  return path;
}

function byteAxis(top: number, y: (bytes: number) => number): readonly string[] {
  return [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(share * top).toFixed(1);
    return `<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${at}" y2="${at}"/><text x="${margin.left - 8}" y="${at}" dy="4" text-anchor="end">${formatByteSize(share * top)}</text>`;
  });
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400];

function timeAxis(from: number, to: number, x: (time: number) => number, height: number): readonly string[] {
  const seconds = (to - from) / 1000;
  const wanted = seconds / 6;
  const step = steps.find((each) => each >= wanted) ?? 86_400 * Math.ceil(wanted / 86_400);
  const ticks = [];
  for (let at = 0; at <= seconds; at += step) ticks.push(at);
  return ticks.map((tick) => {
    const place = x(from + tick * 1000).toFixed(1);
    return `<line class="grid" x1="${place}" x2="${place}" y1="${height - margin.bottom}" y2="${height - margin.bottom + 5}"/><text x="${place}" y="${height - margin.bottom + 20}" text-anchor="middle">${tick === 0 ? 'start' : formatDuration(tick * 1000)}</text>`;
  });
}

function markSvg(text: string, place: number, index: number, height: number): string {
  const at = place.toFixed(1);
  // Labels alternate between two rows, so that neighbours do not overlap.
  return `<line class="mark" x1="${at}" x2="${at}" y1="${margin.top - 6}" y2="${height - margin.bottom}"/><text x="${at}" dx="4" y="${margin.top + (index % 2) * 14}">${escapeHtml(text)}</text>`;
}

function limitSvg(limit: number, y: (bytes: number) => number): string {
  const at = y(limit).toFixed(1);
  return `<line class="limit" x1="${margin.left}" x2="${width - margin.right}" y1="${at}" y2="${at}"/><text class="limit" x="${width - margin.right}" y="${at}" dy="-5" text-anchor="end">limit ${formatByteSize(limit)}</text>`;
}

/** The next larger size that is four times a round number, so that the marks of the axis are round. */
function niceBytes(bytes: number): number {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const quarter = bytes / unit / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(quarter, 0.01)));
  const digit = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((each) => each * power >= quarter) ?? 10;
  return digit * power * 4 * unit;
}
