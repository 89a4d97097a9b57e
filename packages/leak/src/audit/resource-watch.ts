import { createHash } from 'node:crypto';
import type { Claim } from '../findings/finding-book.ts';
import { RisingCount } from './site-group.ts';

const mostTypes = 64;
const risesNeeded = 12;
const resourcesNeeded = 128;

/**
 * Watches how many resources of each type keep the loop alive (`process.getActiveResourcesInfo`): timers, sockets, watchers. It costs about
 * 0.1 µs per resource and does not know their places. A type that only grows, beyond the number of open scopes, is a suspicion. `--audit`
 * names the line.
 */
export class ResourceWatch {
  readonly #types = new Map<string, RisingCount>();
  readonly #told = new Set<string>();

  /** Checks all types; call it about once a minute. Returns each type once, when it has only grown. */
  look(active: readonly string[], openScopes: number): readonly Claim[] {
    const counts = new Map<string, number>();
    for (const type of active) counts.set(type, (counts.get(type) ?? 0) + 1);
    for (const type of counts.keys())
      if (!this.#types.has(type) && this.#types.size < mostTypes) this.#types.set(type, new RisingCount());
    const found: Claim[] = [];
    for (const [type, count] of this.#types) {
      count.see(counts.get(type) ?? 0);
      const isMany = count.value >= resourcesNeeded + 2 * openScopes;
      if (!isMany || count.rises < risesNeeded || this.#told.has(type)) continue;
      this.#told.add(type);
      found.push(claimOf(type, count.value));
    }
    return found;
  }
}

function claimOf(type: string, count: number): Claim {
  const number = count.toLocaleString('en-US');
  return {
    kind: type === 'Timeout' ? 'timer' : 'handle',
    severity: 'low',
    scope: 'process',
    fingerprint: createHash('sha256').update(`resource\0${type}`).digest('hex').slice(0, 16),
    bytes: 0,
    times: count,
    subject: type,
    fix: `${number} active resources of this type, more at every look: close or clear them when their work ends; plimsoll run --audit names the line that makes them.`,
  };
}
