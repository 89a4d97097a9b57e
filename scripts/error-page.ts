import type { Documented } from './all-errors.ts';

const areas: Readonly<Record<string, string>> = {
  PLM_CLI: 'Command line',
  PLM_HEAP: 'Heap snapshots',
  PLM_KEEP: 'Keepers',
  PLM_LEDGER: 'Ledger',
  PLM_METER: 'Meter',
  PLM_POLICY: 'Policy',
  PLM_GOVERN: 'Governing',
  PLM_SCOPE: 'Scopes',
  PLM_SENSE: 'Sensing',
};

/** Writes docs/reference/errors.md from the catalogues, so that every code has its section by construction. */
export function errorPage(catalogue: Readonly<Record<string, Documented>>): string {
  const codes = Object.keys(catalogue).sort();
  const parts = [
    '# Errors and warnings',
    '',
    'Every error carries a code, the place and a way out; the command line prints these three lines and exits with 1. Warnings have the same codes and are emitted once through `process.emitWarning`.',
    'This page is written from the catalogue (`npm run docs`).',
  ];
  let area = '';
  for (const code of codes) {
    const entry = catalogue[code] as Documented;
    const next = code.split('_').slice(0, 2).join('_');
    if (next !== area) parts.push('', `## ${areas[next] ?? next}`);
    area = next;
    const { message, where, fix } = entry.text(entry.example as never);
    parts.push(
      '',
      `### ${code}`,
      '',
      entry.help,
      '',
      '```',
      `${code}: ${message}`,
      `  at:  ${where}`,
      `  fix: ${fix}`,
      '```',
    );
  }
  return `${parts.join('\n')}\n`;
}
