import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';

const around = 3;
const mostPlaces = 4;
const mostFileBytes = 2 * 1024 ** 2;
const place = /((?:file:\/\/)?[^\s()]+\.[cm]?[jt]sx?):(\d+)/g;

/** A path inside a folder; undefined when it is outside. */
export function inside(root: string, path: string): string | undefined {
  const full = isAbsolute(path) ? path : resolve(root, path);
  const way = relative(root, full);
  return way.startsWith('..') || isAbsolute(way) ? undefined : full;
}

/** The lines of the program that a finding names, from files inside the folder. */
export function sourceLines(root: string, finding: Finding): string {
  const texts = [
    finding.site ?? '',
    ...(finding.trace ?? []).map((step) => `${step.why} ${step.name} ${atOf(step)}`),
  ];
  const found = new Map<string, string>();
  for (const [, file = '', line = ''] of texts.join('\n').matchAll(place)) {
    if (found.size >= mostPlaces) break;
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    const key = `${path}:${line}`;
    if (found.has(key)) continue;
    const lines = linesOf(root, path, Number(line));
    if (lines !== undefined) found.set(key, lines);
  }
  return [...found].map(([key, lines]) => `${key}\n${lines}`).join('\n\n');
}

/** The source position of a step, which steps of a snapshot's trace have for functions and classes. */
function atOf(step: object): string {
  const { at } = step as { at?: unknown };
  return typeof at === 'string' ? at : '';
}

function linesOf(root: string, path: string, line: number): string | undefined {
  const file = inside(root, path);
  if (file === undefined) return undefined;
  try {
    if (statSync(file).size > mostFileBytes) return undefined;
    const all = readFileSync(file, 'utf8').split('\n');
    const from = Math.max(0, line - 1 - around);
    return all
      .slice(from, line + around)
      .map((text, i) => `${from + i + 1 === line ? '>' : ' '} ${String(from + i + 1).padStart(5)}  ${text}`)
      .join('\n');
  } catch {
    return undefined;
  }
}
