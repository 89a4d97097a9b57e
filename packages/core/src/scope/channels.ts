import { channel } from 'node:diagnostics_channel';

/** Diagnostics channels of scopes; a message costs nothing while nobody subscribes. */
export const openChannel = channel('plimsoll:scope.open');
export const closeChannel = channel('plimsoll:scope.close');
export const faultChannel = channel('plimsoll:scope.fault');
