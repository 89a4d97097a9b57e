import type { Severity } from '../findings/finding.ts';
import { installedFile } from './installed-file.ts';
import type { SiteGroup } from './site-group.ts';

/** Counts of the scopes of the process, for judging groups. */
export interface ScopeCounts {
  readonly open: number;
  readonly opened: number;
}

/** Least number of attachments of one site on one target, each from a closed scope. */
const fewestOnTarget = 5;
const fewestScopes = 3;
/**
 * Listeners on many targets may be a pool that fills up. So there must be more of them, and they must rise at this many major GCs without a
 * fall.
 */
const fewestSpread = 16;
const fewestRises = 4;
/** With this multiple of the least number, half the rises are enough, because a busy server has few major GCs. */
const plenty = 8;
const fewestUnscoped = 16;
/** Least number in a program without scopes, where only the number is evidence. */
const fewestAlone = 64;
const risesAlone = 6;
const scopesInUse = 20;

/**
 * The severity of a group; undefined while it is not suspicious.
 *
 * Confirmed are: five on one target whose scopes have closed; larger numbers of any kind that keep rising; and more outside of every scope
 * than there are open scopes, because these belong to nothing that lives. Attachments that end by themselves, pools of handles of a
 * package, and growth in a program without scopes cause no alert.
 */
export function verdictOn(group: SiteGroup, scopes: ScopeCounts): Severity | undefined {
  const { outlived, unscoped, kind } = group;
  const isMild = group.endsByItself || (kind === 'handle' && isLibraryHandle(group));
  const isOnOne =
    kind === 'listener' &&
    outlived.value >= fewestOnTarget &&
    group.onOneTarget >= fewestOnTarget &&
    group.scopes >= fewestScopes;
  const isSpread =
    outlived.value >= fewestSpread &&
    outlived.rises >= risesFor(outlived.value, fewestSpread) &&
    group.scopes >= fewestScopes;
  if (isOnOne || isSpread) return isMild ? 'low' : 'medium';
  const isConcentrated = kind !== 'listener' || group.onOneTarget > unscoped.value / 2;
  const expected = fewestUnscoped + 2 * scopes.open;
  if (!isConcentrated || unscoped.rises < risesFor(unscoped.value, expected)) return undefined;
  const exceedsScopes = scopes.opened >= scopesInUse && unscoped.value >= expected;
  if (exceedsScopes) return isMild ? 'low' : 'medium';
  return unscoped.value >= fewestAlone && unscoped.rises >= risesAlone ? 'low' : undefined;
}

function risesFor(value: number, expected: number): number {
  return value >= plenty * expected ? fewestRises / 2 : fewestRises;
}

/** True for a socket or file that a package opened, because it may belong to a pool. */
function isLibraryHandle({ origin, subject }: SiteGroup): boolean {
  return subject !== 'AsyncLocalStorage' && installedFile(origin.site.file);
}
