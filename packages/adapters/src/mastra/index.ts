export { plimsoll } from './mastra.ts';
export type { MastraOptions } from './mastra.ts';
