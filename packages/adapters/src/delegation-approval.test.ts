import { open, processScope } from '@plimsoll/core';
import { installHeldGate } from '@plimsoll/core/internal/gate/approval';
import type { ApprovalRequest } from '@plimsoll/core/internal/gate/approval';
import { ApprovalRefusal } from '@plimsoll/core/internal/gate/approval-refusal';
import { afterEach, expect, test } from 'vitest';
import { toolApproval } from './ai/index.ts';
import { delegationDepth } from './delegation-approval.ts';
import { answerInterrupts, delegationInterrupt } from './langgraph/index.ts';
import { onDelegationStart } from './mastra/index.ts';
import { answerInterruptions, needsApproval } from './openai-agents/index.ts';

const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await processScope().close();
});

/** A policy that asks for an approval of delegations deeper than 2. The human says no to those with this name. */
function govern(denied = 'writer'): readonly ApprovalRequest[] {
  const asked: ApprovalRequest[] = [];
  ends.push(
    installHeldGate({
      needs: (_point, { depth = 0 }) => depth > 2,
      hold: async (_point, request) => {
        asked.push(request);
        if (request.name !== denied) return { state: 'approved', id: 'ap-1', by: 'user:jane' };
        const details = {
          id: 'ap-2',
          by: 'user:jane',
          why: 'too deep',
          what: request.name,
          action: request.name,
        };
        throw new ApprovalRefusal({ reason: 'DENIED', id: 'ap-2', retryAfterMs: 0, details });
      },
    }),
  );
  return asked;
}

/** Runs inside so many agents. */
async function inAgents<T>(count: number, work: () => Promise<T>): Promise<T> {
  if (count === 0) return work();
  using agent = open('agent', `a${count}`);
  return await agent.run(() => inAgents(count - 1, work));
}

test('AI SDK: a tool that hands work on waits when it is too deep, and the answer reaches the model', async () => {
  const asked = govern();
  const approve = toolApproval(['researcher', 'writer']);
  const ask = (toolName: string) => approve({ toolCall: { toolName, input: { task: 'x' } } });
  expect(await inAgents(1, () => ask('researcher'))).toBeUndefined();
  expect(await inAgents(2, () => ask('other'))).toBeUndefined();
  expect(await inAgents(2, () => ask('researcher'))).toEqual({ type: 'approved' });
  expect(await inAgents(3, () => ask('writer'))).toMatchObject({ type: 'denied' });
  expect(asked).toMatchObject([
    { name: 'researcher', depth: 3, args: { task: 'x' } },
    { name: 'writer', depth: 4 },
  ]);
});

test('Mastra: onDelegationStart lets go on, or says why not', async () => {
  govern();
  const ask = (primitiveId: string) => onDelegationStart({ primitiveId, prompt: 'go' });
  expect(await ask('writer')).toBeUndefined();
  expect(await inAgents(2, () => ask('researcher'))).toBeUndefined();
  expect(await inAgents(2, () => ask('writer'))).toMatchObject({ proceed: false });
});

test('OpenAI Agents: a run that stopped is answered item by item and can be run again', async () => {
  govern();
  expect([await needsApproval(), await inAgents(2, needsApproval)]).toEqual([false, true]);
  const told: string[] = [];
  const state = {
    approve: ({ name }: { name: string }) => void told.push(`approve ${name}`),
    reject: ({ name }: { name: string }, options?: { message?: string }) =>
      void told.push(`reject ${name} ${typeof options?.message}`),
  };
  const interruptions = [{ name: 'researcher', arguments: '{}' }, { name: 'writer' }];
  expect(await answerInterruptions({ interruptions, state }, { depth: 3 })).toBe(state);
  expect(told).toEqual(['approve researcher', 'reject writer string']);
  expect(await answerInterruptions({ state }, { depth: 3 })).toBeUndefined();
});

test('LangGraph: a node is interrupted, and the answer resumes it', async () => {
  govern();
  expect(delegationInterrupt('researcher')).toBeUndefined();
  const wait = await inAgents(4, async () => delegationInterrupt('researcher'));
  expect(wait).toEqual({ plimsoll: 'delegation', name: 'researcher', depth: 5 });
  const other = { id: 'x', value: 'a question of the program' };
  const denied = { id: 'b', value: { ...wait, name: 'writer' } };
  const state = { __interrupt__: [{ id: 'a', value: wait }, denied, other] };
  expect(await answerInterrupts(state)).toEqual({ a: true, b: false });
  expect(await answerInterrupts({ __interrupt__: [other] })).toBeUndefined();
  expect(await answerInterrupts(undefined)).toBeUndefined();
});

test('without a governor nothing waits; an error of the gate lets nothing through', async () => {
  expect(delegationDepth()).toBe(1);
  expect(await inAgents(9, () => onDelegationStart({ primitiveId: 'a' }))).toBeUndefined();
  const hold = async (): Promise<never> => {
    throw new Error('broken');
  };
  ends.push(installHeldGate({ needs: () => true, hold }));
  expect(await onDelegationStart({ primitiveId: 'a' })).toMatchObject({ rejectionReason: 'Error: broken' });
});
