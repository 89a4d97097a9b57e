import type { GrownContainer } from './container-counts.ts';

/** How a path names an entry that stands for all. The page imports this file, so that it imports nothing of Node.js. */
export const anyEntry = 'any entry';
/** How a step by a variable is written. */
export const prefix = 'variable ';
/** Lists of listeners belong to what they hang on. */
export const listenerList = /^(?:_events|kEvents)$/;

/** The container as code would write it, e.g. `hub.#streams`; of listeners and chains what they hang on. */
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
  return event === undefined ? name : `${name} ("${event}" listeners)`;
}

function stepText(via: string, isFirst: boolean): string {
  if (isVariable(via)) return via.slice(prefix.length);
  if (via === anyEntry) return '[…]';
  return isFirst || via.startsWith('[') ? via : `.${via}`;
}

function isVariable(via: string): boolean {
  return via.startsWith(prefix);
}
