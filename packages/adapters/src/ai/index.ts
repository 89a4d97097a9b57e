export { plimsoll } from './ai.ts';
export { callSignal } from '@plimsoll/core/adapter';
export { messageWindow } from './message-window.ts';
export type { MessageWindowOptions } from './message-window.ts';
export { toolApproval } from './tool-approval.ts';
