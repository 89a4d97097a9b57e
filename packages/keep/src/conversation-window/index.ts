export { ConversationWindow } from './conversation-window.ts';
export type { WindowSnapshot, WindowStats } from './conversation-window.ts';
export type { DropReason, WindowEvents } from './events.ts';
export { anyMessage } from './message-shape.ts';
export type { MessageRole, MessageShape } from './message-shape.ts';
export type { ConversationWindowOptions, SummaryRequest } from './settings.ts';
export { fitTokens } from './token-fit.ts';
