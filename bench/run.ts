/** Runs one benchmark by name: `npm run bench -- NAME [--quick] [--json FILE] [args]`. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installOnce } from '../test/install-once.ts';
import type { Benchmark, Row } from './row.ts';

const here = import.meta.dirname;
const names = readdirSync(here, { withFileTypes: true })
  .filter((item) => item.isDirectory() && existsSync(resolve(here, item.name, 'bench.ts')))
  .map((item) => item.name);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
});
const [name, ...args] = positionals;
if (name === undefined || !names.includes(name)) {
  process.stderr.write(`usage: npm run bench -- NAME [--quick] [--json FILE]\nnames: ${names.join(', ')}\n`);
  process.exit(1);
}

// Rivals live in their own lockfile so that `npm ci` of the repo stays small.
await installOnce(here);
const { default: benchmark } = (await import(resolve(here, name, 'bench.ts'))) as { default: Benchmark };
const rows = await benchmark({ quick: values.quick, args, log: (line) => process.stderr.write(`${line}\n`) });
process.stdout.write(`${table(rows)}\n`);
if (values.json !== undefined) {
  const file = resolve(values.json);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ name, node: process.version, rows }, null, 2)}\n`);
}
process.exitCode = rows.some((entry) => entry.pass === false) ? 2 : 0;

function table(all: readonly Row[]): string {
  const head = ['metric', 'ours', 'spread', 'peer', 'peer value', 'ratio', 'goal', ''];
  const lines = all.map((entry) => [
    entry.metric,
    `${figure(entry.ours)} ${entry.unit}`,
    `±${(entry.spread * 100).toFixed(1)} %`,
    entry.peer ?? '-',
    entry.peerValue === null ? '-' : `${figure(entry.peerValue)} ${entry.unit}`,
    entry.ratio === null ? '-' : `${entry.ratio.toFixed(3)}x${between(entry)}`,
    entry.goal ?? '-',
    entry.pass === null ? '' : entry.pass ? 'pass' : 'MISS',
  ]);
  const widths = head.map((title, i) =>
    Math.max(title.length, ...lines.map((line) => (line[i] as string).length)),
  );
  const format = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] as number))
      .join('  ')
      .trimEnd();
  return [format(head), widths.map((width) => '-'.repeat(width)).join('  '), ...lines.map(format)].join('\n');
}

function between({ between: range }: Row): string {
  return range === undefined ? '' : ` (${range.map((end) => end.toFixed(3)).join(' to ')})`;
}

function figure(value: number): string {
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(4);
}
