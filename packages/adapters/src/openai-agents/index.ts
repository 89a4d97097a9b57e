export { plimsoll } from './openai-agents.ts';
export { BoundedSession } from './bounded-session.ts';
export type { BoundedSessionOptions } from './bounded-session.ts';
export { answerInterruptions, needsApproval } from './interruptions.ts';
export { inputWindow } from './input-window.ts';
