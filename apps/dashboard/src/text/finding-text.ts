import type { Finding, FindingStep } from '@plimsoll/host/protocol/frame';
import { bytesText, countText } from './units.ts';

/** The heading of a finding: first the object, then its place. */
export function findingTitle({ kind, subject, scope, count }: Finding): string {
  const where = scope === 'process' ? 'the process' : scope.replace(/^process\//, '');
  if (kind === 'survivor')
    return `${count === 1 ? '' : `${countText(count)} × `}${subject ?? (count === 1 ? 'an object of a closed scope' : 'objects of closed scopes')} still alive, first in ${where}`;
  if (kind === 'growth') return `Memory grows in ${where}`;
  const what = subject === undefined ? '' : ` (${subject})`;
  return `${kindNames[kind]}${what} in ${where}`;
}

const kindNames: Readonly<Record<Exclude<Finding['kind'], 'survivor' | 'growth'>, string>> = {
  listener: 'Listeners are never removed',
  timer: 'Timers are never cleared',
  handle: 'Handles are never closed',
  budget: 'Over its budget',
  delegation: 'Delegation without an end',
};

/** A scope path without content. Names of sessions and tenants are replaced, and the kinds stay. */
export function safeScope(path: string): string {
  return path
    .split('/')
    .map((part) => part.replace(/^([a-z][\w-]*):.*$/i, '$1:*'))
    .join('/');
}

/** Replaces keys, quoted text and long numbers in a reference by their kind. */
export function safeText(text: string): string {
  return text
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, '<text>')
    .replaceAll(/\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g, '<address>')
    .replaceAll(/\b(?=[\w-]*\d)[\w-]{16,}\b/g, '<id>')
    .replaceAll(/\d{5,}/g, '<number>');
}

function stepText(step: FindingStep): string {
  const via = step.via === '' ? '' : `${safeText(step.via)} -> `;
  const scope = step.scope === undefined ? '' : ` [${safeScope(step.scope)}]`;
  const bytes = step.retainedBytes === undefined ? '' : `, ${bytesText(step.retainedBytes)}`;
  return `  ${step.leaking === 'no' ? ' ' : '!'} ${via}${safeText(step.name)}${scope}${bytes}`;
}

/** A finding that can be pasted into an issue: class and property names, sizes and times; no keys, no values, no names of sessions. */
export function pasteSafe(finding: Finding): string {
  const { kind, severity, fingerprint, bytes, rate, count, trace, knownLeak } = finding;
  return [
    `plimsoll finding ${fingerprint}: ${severity} ${kind} in ${safeScope(finding.scope)}`,
    `bytes: ${bytesText(bytes)}${rate === undefined ? '' : `, ${bytesText(rate)} per hour`}, seen ${count} ${count === 1 ? 'time' : 'times'}`,
    ...(knownLeak === undefined ? [] : [`known leak: ${knownLeak.name}, ${knownLeak.link}`]),
    ...(trace === undefined ? [] : ['trace, root first, suspect references with !:', ...trace.map(stepText)]),
    '',
  ].join('\n');
}
