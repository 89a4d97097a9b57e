import { fitTokens } from './token-fit.ts';

/** Tokens that a provider adds around a message. */
const perMessage = 4;
/** Depth and number of strings after which a message is not looked into any further. */
const mostDepth = 8;
const mostStrings = 10_000;

/** Estimated tokens of a message: of every text in it, whatever the framework calls the field, and of its numbers. */
export function messageTokens(message: unknown): number {
  const content = (message as { content?: unknown } | null)?.content;
  const isPlain =
    typeof content === 'string' && (message as { tool_calls?: unknown }).tool_calls === undefined;
  if (isPlain) return perMessage + fitTokens(content);
  const budget = { strings: mostStrings };
  return perMessage + valueTokens(message, 0, budget);
}

function valueTokens(value: unknown, depth: number, budget: { strings: number }): number {
  if (typeof value === 'string') return budget.strings-- > 0 ? fitTokens(value) : 0;
  if (typeof value === 'number' || typeof value === 'boolean') return 1.5;
  if (typeof value !== 'object' || value === null || depth >= mostDepth) return 0;
  // Binary parts are priced by the provider in its own way; calibration takes them in.
  if (ArrayBuffer.isView(value)) return 0;
  let tokens = 0;
  if (Array.isArray(value)) for (const item of value) tokens += 1 + valueTokens(item, depth + 1, budget);
  else
    for (const key of Object.keys(value)) {
      const item = (value as Record<string, unknown>)[key];
      // Names of fields are part of tool calls and results, which providers see as JSON.
      tokens += (depth > 1 ? 2 : 0) + valueTokens(item, depth + 1, budget);
    }
  return tokens;
}
