import { formatByteSize } from '@plimsoll/core/units';
import type { Report } from '../run/report.ts';
import { findingLines, traceDrawer } from '../screen/finding-text.ts';
import { printable } from '../screen/table.ts';
import { factsOf, headlineOf, nextSteps } from './view.ts';

const mostFindings = 3;
const mostGrown = 8;

/** A report for the terminal. */
export async function reportText(report: Report): Promise<string> {
  const { word, why } = headlineOf(report);
  const draw = await traceDrawer(report.findings);
  const row = (name: string, value: string): string => `  ${name.padEnd(16)}${printable(value)}`;
  const lines = [
    `${printable(report.target)}: ${word}`,
    `  ${printable(why)}`,
    ...factsOf(report).map(([name, value]) => row(name, value)),
    ...(report.history?.grown ?? [])
      .slice(0, mostGrown)
      .map(({ scope, bytesPerHour }) => row('grew', `${scope} by ${formatByteSize(bytesPerHour)} per hour`)),
    ...report.findings
      .slice(0, mostFindings)
      .flatMap((finding, i) => findingLines(finding, i === 0 ? draw : undefined))
      .map((line) => `  ${line}`),
    ...nextSteps(report).map((step, i) => row(i === 0 ? 'next' : '', `${i + 1}. ${step}`)),
  ];
  return `${lines.join('\n')}\n`;
}
