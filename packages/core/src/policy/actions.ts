import { modes } from './policy.ts';
import { word } from './quantity.ts';
import type { Table } from './shape.ts';
import { optional, table } from './shape.ts';

/** What a policy may say about one action: its sentence in the docs and its options. */
export interface ActionDeclaration {
  readonly about: string;
  readonly options: Table<unknown>;
}

const mode = optional(word('a mode', modes), 'Mode of this rung alone, instead of the mode of the policy.');

/**
 * Every action a ladder may name. An entry here makes the loader, the JSON Schema and the docs know it; the compiler then
 * asks for its runner in `govern/action-runners.ts`, so that no action can be accepted and not act.
 */
export const actions = {
  notify: {
    about:
      'Publishes an alert with the numbers on the channel plimsoll:action, from where the ledger takes it.',
    options: table('the options of notify', {
      mode,
    }),
  },
} as const satisfies Readonly<Record<string, ActionDeclaration>>;

export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as readonly ActionName[];
