import { answerFor, mustWait } from '../delegation-approval.ts';

interface ToolCall {
  readonly toolName: string;
  readonly input?: unknown;
}

export type ToolApprovalAnswer =
  | undefined
  | { readonly type: 'approved' | 'denied'; readonly reason?: string };

/**
 * For `toolApproval` of the AI SDK: a call of one of these tools is a delegation. Where the policy asks for an approval, the call waits for
 * it; a human answers on the page or with `plimsoll approvals`, and the model is told when the answer is no.
 */
export function toolApproval(
  tools: readonly string[],
): (call: { readonly toolCall: ToolCall }) => Promise<ToolApprovalAnswer> {
  const asked = new Set(tools);
  return async ({ toolCall: { toolName, input } }) => {
    if (!asked.has(toolName) || !mustWait({})) return undefined;
    const args = typeof input === 'object' && input !== null ? { ...input } : { input };
    const { isApproved, reason } = await answerFor({ name: toolName, args });
    return isApproved ? { type: 'approved' } : { type: 'denied', ...(reason !== undefined && { reason }) };
  };
}
