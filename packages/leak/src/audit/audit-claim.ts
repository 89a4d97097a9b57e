import type { Claim } from '../findings/finding-book.ts';
import type { Severity } from '../findings/finding.ts';
import { siteText } from './call-site.ts';
import type { SiteGroup } from './site-group.ts';

/** The claim of an audit about a group of attachments. */
export function claimOf(group: SiteGroup, severity: Severity): Claim {
  const { kind, subject, origin, fingerprint, example } = group;
  const isScoped = group.outlived.value > 0;
  const left = isScoped ? group.outlived.value : group.unscoped.value;
  const place = siteText(origin.site);
  const site = origin.caller === undefined ? place : `${place}, called from ${siteText(origin.caller)}`;
  const when =
    isScoped && example !== undefined
      ? `${left.toLocaleString('en-US')} of ${group.ever.toLocaleString('en-US')} outlived the ${example.kind} that made them`
      : `${left.toLocaleString('en-US')} of ${group.ever.toLocaleString('en-US')} are still there and their number only rises`;
  return {
    kind,
    severity,
    scope: isScoped && example !== undefined ? example.path : 'process',
    fingerprint,
    bytes: 0,
    times: left,
    subject,
    site,
    fix: `${when}: ${cureFor(group)}`,
  };
}

function cureFor({ kind, subject, endsByItself, example }: SiteGroup): string {
  const owner = example?.kind ?? 'work';
  if (subject === 'AsyncLocalStorage')
    return 'make one AsyncLocalStorage per process, not one per run, and keep only a small handle in it.';
  if (kind === 'timer')
    return endsByItself
      ? `the timeout holds its ${owner} until it runs; clear it when the ${owner} ends (clearTimeout in finally, or scope.own(() => clearTimeout(timer))).`
      : `clear the interval when the ${owner} ends (clearInterval in finally, or scope.own(() => clearInterval(timer))).`;
  if (kind === 'handle')
    return `close the ${subject} when the ${owner} ends (scope.own(handle) closes it with the scope).`;
  return subject.startsWith('"abort"')
    ? `remove the listener when the ${owner} ends, or use scope.signal, which follows a long-lived signal and removes its listener when its scope closes.`
    : `remove the listener when the ${owner} ends: off in finally, { once: true }, or addEventListener with { signal: scope.signal }.`;
}
