export { plimsoll } from './mastra.ts';
export type { MastraOptions } from './mastra.ts';
export { onDelegationStart } from './delegation.ts';
export { messageProcessor } from './message-processor.ts';
export type { MessageProcessorOptions } from './message-processor.ts';
