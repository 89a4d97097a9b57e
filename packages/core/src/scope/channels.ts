import { channel } from 'node:diagnostics_channel';

/** Diagnostics channels of scopes; a message costs nothing while nobody subscribes. */
export const openChannel = channel('plimsoll:scope.open');
/** A scope whose budget was set after it opened. */
export const budgetChannel = channel('plimsoll:scope.budget');
export const closeChannel = channel('plimsoll:scope.close');
export const faultChannel = channel('plimsoll:scope.fault');
