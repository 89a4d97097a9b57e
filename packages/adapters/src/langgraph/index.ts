export { boundedCheckpointer } from './bounded-checkpointer.ts';
export type { CheckpointBounds } from './bounded-checkpointer.ts';
export { plimsoll } from './langgraph.ts';
export type { LangGraphOptions } from './langgraph.ts';
export { answerInterrupts, delegationInterrupt } from './interrupts.ts';
