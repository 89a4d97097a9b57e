/** Growth without a container: objects or closures that each keep the one before, and a text that is added to. */
import { types } from 'node:util';
import { classOf, prefix } from './container-name.ts';
import type { FoundContainer } from './found-container.ts';
import type { FunctionScopes } from './function-scopes.ts';
import { pathOf, type WalkItem } from './walk-item.ts';

/** Opens an object of the walk; undefined when it may open no more. */
type Open = (value: object) => ReturnType<FunctionScopes['openedOf']>;

/** Most closures of a chain that are opened to count it. Each takes 0.1 ms. */
export const mostClosures = 120;
const longText = 64 * 1024;

/** True for properties and variables that may link a chain; false for entries and prototypes. */
export function isLink(via: string): boolean {
  return !via.startsWith('[') && via !== 'entry' && via !== 'key of an entry' && via !== 'prototype';
}

/** The chain whose second link has the same name. `first` is the object before it, the first link. */
export function chainOf(via: string, first: WalkItem, third: object, open: Open): FoundContainer | undefined {
  const path = [...pathOf(first), { via, name: classOf(third) }];
  const holder = first.from?.value;
  if (via.startsWith(prefix)) {
    const count = countClosures(third, via.slice(prefix.length), open);
    return count > 0 ? { path, kind: 'closures', object: third, count } : undefined;
  }
  const isHeld = holder !== undefined && isRead(holder, first.via);
  const links = { first: isHeld ? first.via : undefined, next: via };
  return { path, kind: 'chain', object: isHeld ? holder : first.value, links };
}

export function textOf(text: string, via: string, from: WalkItem): FoundContainer | undefined {
  if (text.length < longText) return undefined;
  const isVariable = typeof from.value === 'function';
  return {
    path: [...pathOf(from), { via, name: 'string' }],
    kind: 'text',
    object: from.value,
    links: { first: via, next: '' },
    ...(isVariable && { count: Math.floor(text.length / 1024) }),
  };
}

/** The number of closures of a chain; 0 when it leads back to itself, as with functions of one module that refer to each other. */
function countClosures(from: object, name: string, open: Open): number {
  let count = 3;
  const seen = new Set<unknown>();
  for (let at: unknown = from; count < mostClosures && typeof at === 'function'; count++) {
    if (seen.has(at)) return 0;
    seen.add(at);
    at = open(at)
      ?.scopes()
      .find((scope) => Object.hasOwn(scope, name))?.[name];
  }
  return count;
}

/** Whether the first link can be read again without a walk: variables, entries of Maps and private fields cannot. */
function isRead(holder: object, via: string): boolean {
  return typeof holder !== 'function' && !types.isMap(holder) && Object.hasOwn(holder, via);
}
