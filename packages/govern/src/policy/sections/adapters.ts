import type { Leaf, ValueOf } from '../form/shape.ts';
import { optional, table } from '../form/shape.ts';

/** The adapters that the host installs automatically. */
const adapterNames = ['http', 'ai', 'mcp', 'langgraph', 'openai-agents', 'mastra', 'otel'] as const;
export type AdapterName = (typeof adapterNames)[number];

/** Switches of adapters. */
export type AdapterSwitches = Readonly<Partial<Record<AdapterName, boolean>>>;

export const onOff: Leaf<boolean> = {
  kind: 'leaf',
  accepted: 'on or off',
  example: 'off',
  read: (value) =>
    value === true || value === 'on' ? true : value === false || value === 'off' ? false : undefined,
  json: { enum: ['on', 'off', true, false] },
};

/** The section `adapters` of a policy. */
export const adaptersSection = table('the adapters', {
  http: optional(
    onOff,
    'A scope per HTTP request and WebSocket, and sessions. Default on. Scopes that the program opens inside a request stay where they are without it.',
  ),
  ai: optional(onOff, 'Agents, steps and tools of the AI SDK (`ai`). Default on.'),
  mcp: optional(onOff, 'Sessions and tools of an MCP server (`@modelcontextprotocol/sdk`). Default on.'),
  langgraph: optional(onOff, 'Graphs, nodes and tools of `@langchain/langgraph`. Default on.'),
  'openai-agents': optional(onOff, 'Agents, turns and tools of `@openai/agents`. Default on.'),
  mastra: optional(onOff, 'Agents, workflows and tools of `@mastra/core`. Default on.'),
  otel: optional(
    onOff,
    'Agents and tools of programs that record GenAI spans with OpenTelemetry, and the scope as attributes of every span. Default on.',
  ),
});

export function adapterSwitchesOf(given: ValueOf<typeof adaptersSection> | undefined): AdapterSwitches {
  return given ?? {};
}
