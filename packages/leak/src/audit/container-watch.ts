import { createHash } from 'node:crypto';
import type { Claim } from '../findings/finding-book.ts';
import { RisingCount } from './site-group.ts';

/** Registered roots, in the form of the roster. */
type RootSource = Iterable<{
  readonly scope: { readonly path: string; readonly kind: string };
  readonly roots: readonly object[];
}>;

const mostContainers = 256;
const mostProperties = 32;
/** Least number of checks at which a container grew without a fall, and least number of gained entries. */
const risesNeeded = 12;
const entriesNeeded = 256;

interface Followed {
  readonly count: RisingCount;
  readonly from: number;
}

/**
 * Watches the sizes of Maps, Sets and arrays that are registered as roots of the process, or lie directly in one: reading a size costs
 * nothing. One that only grows is a suspicion, except a keeper of @plimsoll/keep, which has a bound.
 */
export class ContainerWatch {
  readonly #followed = new WeakMap<object, Followed>();
  readonly #told = new Set<string>();

  /** Checks all sizes; call it about once a minute. Returns each container once, when it has only grown. */
  look(source: RootSource): readonly Claim[] {
    const found: Claim[] = [];
    let left = mostContainers;
    for (const { scope, roots } of source) {
      if (scope.kind !== 'process') continue;
      for (const { name, container } of containers(roots)) {
        if (left-- <= 0) return found;
        const claim = this.#see(scope.path, name, container);
        if (claim !== undefined) found.push(claim);
      }
    }
    return found;
  }

  #see(path: string, name: string, container: object): Claim | undefined {
    const size = sizeOf(container) ?? 0;
    let followed = this.#followed.get(container);
    if (followed === undefined)
      this.#followed.set(container, (followed = { count: new RisingCount(), from: size }));
    const { count, from } = followed;
    count.see(size);
    if (count.rises < risesNeeded || size - from < entriesNeeded || this.#told.has(name)) return undefined;
    this.#told.add(name);
    return {
      kind: 'growth',
      severity: 'low',
      scope: path,
      fingerprint: createHash('sha256').update(`container\0${name}`).digest('hex').slice(0, 16),
      bytes: 0,
      times: size,
      subject: name,
      fix: `${name} had ${from.toLocaleString('en-US')} entries and has ${size.toLocaleString('en-US')}, and never lost one: remove entries when their work ends, or give it a bound (a keeper of @plimsoll/keep).`,
    };
  }
}

function* containers(roots: readonly object[]): Generator<{ name: string; container: object }> {
  for (const root of roots) {
    const own = root.constructor?.name ?? 'object';
    if (sizeOf(root) !== undefined) {
      yield { name: own, container: root };
      continue;
    }
    for (const key of Object.keys(root).slice(0, mostProperties)) {
      const descriptor = Object.getOwnPropertyDescriptor(root, key);
      const value: unknown = descriptor?.value;
      if (typeof value === 'object' && value !== null && sizeOf(value) !== undefined)
        yield { name: `${own}.${key}`, container: value };
    }
  }
}

function sizeOf(value: object): number | undefined {
  if (value instanceof Map || value instanceof Set) return value.size;
  return Array.isArray(value) ? value.length : undefined;
}
