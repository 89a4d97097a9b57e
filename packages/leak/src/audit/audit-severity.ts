import type { Severity } from '../findings/finding.ts';
import { installedFile } from './call-site.ts';
import type { SiteGroup } from './site-group.ts';

/** What is known of the scopes of the process when the groups are judged. */
export interface ScopeCounts {
  readonly open: number;
  readonly opened: number;
}

/** One target must hold so many of one site before it counts, each from a scope that closed. */
const fewestOnTarget = 5;
const fewestScopes = 3;
/**
 * Listeners spread over many targets may be a pool that fills. So there must be more of them, rising at this many major GCs without a fall.
 */
const fewestSpread = 16;
const fewestRises = 4;
/** With this many times the number that counts, half the rises are enough, because a busy server has few major GCs. */
const plenty = 8;
const fewestUnscoped = 16;
/** Without scopes only the number itself speaks. */
const fewestAlone = 64;
const risesAlone = 6;
const scopesInUse = 20;

/**
 * How grave a group is, or undefined while it is nothing.
 *
 * Confirmed are: five on one target whose scopes have closed; more that keep rising, of whatever kind; and more outside of every scope
 * than the program has scopes open, because then they belong to nothing that lives. What goes away by itself, what a package keeps in a
 * pool of handles, and growth in a program without scopes pages nobody.
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

/** A socket or file that a package opened may belong to a pool, which keeps it on purpose. */
function isLibraryHandle({ origin, subject }: SiteGroup): boolean {
  return subject !== 'AsyncLocalStorage' && installedFile(origin.site.file);
}
