export { plimsoll } from './mcp.ts';
export type { McpOptions } from './mcp.ts';
