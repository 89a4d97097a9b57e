import { relative } from 'node:path';
import { formatByteSize } from '@plimsoll/core/units';
import { traceText } from '@plimsoll/heap/report';
import type { Growth } from '@plimsoll/heap';
import type { GrowthReport, LeakRow } from './leak-report.ts';

/** Most lines of a failure, so that it fits on one screen of a terminal. */
export const mostLines = 40;
const mostLeaks = 3;
/** Size of the heap in the projection. */
const exampleHeapBytes = 512 * 1024 * 1024;
const exampleCalls = 1000;

/** The evidence for growth between the first line of an error and its fix. */
export function growthLines(report: GrowthReport, most = mostLines - 4): readonly string[] {
  const { rounds, callsPerRound, per, leaks, snapshots, calls } = report;
  const perCall = report.bytesPerCall + report.externalBytesPerCall;
  const head = [
    `live bytes    ${rounds.map(signed).join('  ')}   per round of ${count(callsPerRound)} ${per}s`,
    `growth        ${formatByteSize(Math.round(perCall))} per ${per}${externalText(report)}, ${count(calls)} ${per}s in all, ${count(report.warmup)} of them warm-up`,
    `projection    ${count(exampleCalls)} ${per}s: ${formatByteSize(Math.round(exampleCalls * perCall))}; a ${formatByteSize(exampleHeapBytes)} heap is full after ${count(Math.floor(exampleHeapBytes / Math.max(1, perCall)))}`,
  ];
  const tail = snapshots.length === 0 ? [] : [`open          plimsoll diff ${snapshotsText(snapshots)}`];
  const room = most - head.length - tail.length;
  return [...head, ...leakLines(leaks, per, room), ...tail];
}

function externalText({ externalBytesPerCall }: GrowthReport): string {
  return externalBytesPerCall < 1
    ? ''
    : ` (${formatByteSize(Math.round(externalBytesPerCall))} of it in Buffers and ArrayBuffers)`;
}

export function snapshotsText(files: readonly string[]): string {
  const near = files.map((file) => {
    const path = relative(process.cwd(), file);
    return path.startsWith('..') ? file : path;
  });
  const [first = ''] = near;
  if (files.length === 1) return first;
  const stem = first.replace(/[^.]+\.heapsnapshot$/, '');
  const names = near.map((file) => file.slice(stem.length).replace(/\.heapsnapshot$/, ''));
  return `${stem}{${names.join(',')}}.heapsnapshot`;
}

/** The first leak with its path, and as many further ones as there is room for. */
function leakLines(leaks: readonly LeakRow[], per: string, room: number): readonly string[] {
  const lines: string[] = [];
  const shown = leaks.slice(0, mostLeaks);
  let told = 0;
  for (const [i, row] of shown.entries()) {
    const left = room - lines.length - 1;
    const text = rowLines(row, per, i, leaks.length, left);
    if (i > 0 && text.length > left) break;
    lines.push(...text);
    told++;
  }
  if (told < leaks.length) lines.push(`… and ${leaks.length - told} more in the report`);
  return lines;
}

function rowLines(row: LeakRow, per: string, i: number, of: number, room: number): readonly string[] {
  const { fingerprint, objectsPerCall, counts, bytes, site, knownLeak } = row;
  const head = `leak ${i + 1} of ${of}   fingerprint ${fingerprint}   ${perText(objectsPerCall)} ${row.name} per ${per} (${counts.map(count).join(' → ')}), ${formatByteSize(bytes)} more`;
  const facts = [
    ...(site === undefined ? [] : [`grows in      ${site}`]),
    ...(knownLeak === undefined ? [] : [`known leak    ${knownLeak.title} ${knownLeak.link}`]),
  ];
  return [head, ...pathLines(row.trace, room - 1 - facts.length), ...facts];
}

/** The path, with its middle left out where it is longer than the room. */
export function pathLines(trace: Growth['trace'], room: number): readonly string[] {
  const lines = traceText(trace).split('\n');
  if (lines.length <= room) return lines;
  const underlined = lines.findLastIndex((line) => line.includes('~~'));
  const tail = Math.min(lines.length - Math.max(0, underlined - 2), room - 3);
  const head = room - tail - 1;
  return [
    ...lines.slice(0, head),
    `│    … ${lines.length - head - tail} lines of the path …`,
    ...lines.slice(lines.length - tail),
  ];
}

export function perText(value: number): string {
  return value >= 0.95 ? String(Number(value.toFixed(value < 10 ? 1 : 0))) : value.toFixed(2);
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function signed(bytes: number): string {
  return `${bytes < 0 ? '-' : '+'}${formatByteSize(Math.abs(bytes))}`;
}
