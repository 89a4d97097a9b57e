import type { GrownContainer } from './container-counts.ts';

/** Name of any entry in a path. The page imports this file, so it imports nothing of Node.js. */
export const anyEntry = 'any entry';
/** Prefix of a step through a variable. */
export const prefix = 'variable ';
/** Properties with lists of listeners. A list is named after its owner. */
export const listenerList = /^(?:_events|kEvents)$/;

/** The container in the form of code, e.g. `hub.#streams`. For listeners and chains it is their owner. */
export function nameOf({ path, kind }: GrownContainer): string {
  const list = path.findIndex(({ via }) => listenerList.test(via));
  const end = list > 0 ? list : kind === 'chain' || kind === 'closures' ? path.length - 1 : path.length;
  const steps = path.slice(0, Math.max(1, end));
  const from = steps.findLastIndex(({ via }) => isVariable(via));
  const name = steps
    .slice(Math.max(0, from))
    .map(({ via }, i) => stepText(via, i === 0))
    .join('');
  const event = list > 0 ? path[list + 1]?.via.replaceAll(/[[\]]/g, '') : undefined;
  return event === undefined ? name : listenersText(name, event);
}

/** The listeners of one event of an emitter. */
export function listenersText(emitter: string, event: string): string {
  return `${emitter} ("${event}" listeners)`;
}

function stepText(via: string, isFirst: boolean): string {
  if (isVariable(via)) return via.slice(prefix.length);
  if (via === anyEntry) return '[…]';
  return isFirst || via.startsWith('[') ? via : `.${via}`;
}

function isVariable(via: string): boolean {
  return via.startsWith(prefix);
}

/** The class of an object for people. */
export function classOf(value: object): string {
  if (typeof value === 'function') return `${value.name || '(anonymous)'}()`;
  if (Array.isArray(value)) return 'Array';
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || typeof prototype !== 'object') return 'Object';
  const maker = Reflect.getOwnPropertyDescriptor(prototype, 'constructor')?.value as unknown;
  return typeof maker === 'function' ? maker.name : 'Object';
}
