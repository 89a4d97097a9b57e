export { plimsoll } from './mastra.ts';
export type { MastraOptions } from './mastra.ts';
export { onDelegationStart } from './delegation.ts';
