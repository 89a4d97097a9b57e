import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import { printable } from './table.ts';

/** Draws a leak trace. It is `traceText` of @plimsoll/heap, which is loaded on demand. */
export type DrawTrace = (trace: NonNullable<Finding['trace']>) => string;

/** The function that draws the traces of these findings; undefined when none has a trace. */
export async function traceDrawer(findings: readonly Finding[]): Promise<DrawTrace | undefined> {
  if (!findings.some((each) => each.trace !== undefined)) return undefined;
  const { traceText } = await import('@plimsoll/heap/report');
  return (trace) => traceText(trace as Parameters<typeof traceText>[0]);
}

/** One finding in a line. */
export function findingLine(finding: Finding): string {
  const { severity, kind, scope, bytes, rate, exhaustsIn, subject, site } = finding;
  const what = subject === undefined ? formatByteSize(bytes) : printable(subject);
  const parts = [
    `${severity} ${kind} in ${printable(scope)}: ${what}`,
    ...(subject !== undefined && bytes > 0 ? [formatByteSize(bytes)] : []),
    ...(site === undefined ? [] : [`made at ${printable(site)}`]),
    ...(rate === undefined || rate <= 0 ? [] : [`${formatByteSize(rate)} per hour`]),
    ...(exhaustsIn === undefined ? [] : [`limit reached in ${formatDuration(exhaustsIn.ms)}`]),
    ...(finding.count > 1 ? [`seen ${finding.count} times`] : []),
  ];
  return parts.join(', ');
}

const shownReferences = 4;

/**
 * The holder of a finding in one line: the last references of its trace to what accumulates, without what that consists of; undefined
 * without a trace.
 */
export function holderOf({ trace }: Pick<Finding, 'trace'>): string | undefined {
  if (trace === undefined || trace.length < 2) return undefined;
  const suspect = trace.findLastIndex((step) => step.suspect === true);
  const leaking = trace.findIndex((step) => step.leaking === 'yes');
  const last = suspect > 0 ? suspect : leaking;
  const end = last > 0 ? last + 1 : trace.length;
  const references = trace.slice(1, end).map(({ via }, i) => `${trace[i]?.name ?? ''}.${via}`);
  return printable(references.slice(-shownReferences).join(' → '));
}

/** A finding with its trace, its known leak and its fix. */
export function findingLines(finding: Finding, draw: DrawTrace | undefined): readonly string[] {
  const { trace, knownLeak, fix, fingerprint } = finding;
  return [
    `${findingLine(finding)}, fingerprint ${fingerprint}`,
    ...(trace === undefined || draw === undefined ? [] : draw(trace).split('\n')),
    ...(knownLeak === undefined ? [] : [`known leak: ${knownLeak.name}`, `link: ${knownLeak.link}`]),
    `fix: ${fix}`,
  ];
}
