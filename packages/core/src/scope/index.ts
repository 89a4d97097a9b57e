import { processSlot } from './process-slot.ts';

export type { AccountLine, Metered } from './account.ts';
export type { CloseReport } from './close-tree.ts';
export type { ScopeFault } from './fault-log.ts';
export type { OpenOptions } from './open.ts';
export type { LingeringScope, Roster } from './roster.ts';
export type { AccountView, ScopeLease, Scope } from './scope.ts';
export type { ScopeState } from './scope-record.ts';
export type { ScopeTotal } from './scope-totals.ts';
export type { Watched } from './watch-list.ts';

const slot = processSlot();

/** Opens a scope of a kind (`session`, `agent`, `tool`) under a name, in the current scope unless told otherwise. */
export const open = slot.open;

/** The scope that the running code belongs to; the process scope when it belongs to none. */
export const currentScope = slot.currentScope;

/** The scope that what the running code makes belongs to: the current one, or the nearest around it that is no session or request of an adapter. */
export const owningScope = slot.owningScope;

/** As `open`, for the scopes of adapters. */
export const openAs = slot.openAs;

/** The root of all scopes of this thread. */
export const processScope = slot.processScope;

/** Every open scope of the thread and what remains of the closed ones. */
export const roster = slot.roster;
