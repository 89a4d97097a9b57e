import { admit, isAdmitError } from '@plimsoll/core';
import type { Message } from '../model/message.ts';
import type { MockModel } from '../model/mock-model.ts';
import type { ToolCall } from '../model/script.ts';
import type { AgentScope, OpenScope } from '../scope/agent-scope.ts';
import type { Toolbox } from '../tool/toolbox.ts';
import { maxDepth, subAgents } from './agent.ts';
import type { Agent } from './agent.ts';

/** One agent's share of a run: its conversation, its scope and its listener. */
export interface Task {
  /** Grows with the answers of the model and the tools. */
  readonly messages: Message[];
  readonly depth: number;
  readonly scope: AgentScope;
  readonly signal: AbortSignal;
  readonly documents: Map<string, string>;
  readonly emit: (event: string, data: unknown) => void;
}

export interface AgentParts {
  readonly model: MockModel;
  readonly tools: Toolbox;
  readonly openScope: OpenScope;
}

/** The agent loop: call the model and run its tool calls until it answers with text. */
export async function respond(agent: Agent, task: Task, parts: AgentParts): Promise<string> {
  for (let step = 0; step < agent.maxSteps; step += 1) {
    const { text, calls } = await ask(agent, task, parts);
    task.messages.push({ role: 'assistant', content: text === '' ? JSON.stringify(calls) : text });
    if (calls.length === 0) return text;
    for (const call of calls) {
      const content = await carryOut(call, task, parts);
      task.messages.push({ role: 'tool', tool: call.name, content });
    }
  }
  return `Stopped after ${agent.maxSteps} steps.`;
}

async function ask(
  agent: Agent,
  task: Task,
  parts: AgentParts,
): Promise<{ text: string; calls: ToolCall[] }> {
  const said: string[] = [];
  const calls: ToolCall[] = [];
  const { messages, signal } = task;
  for await (const chunk of parts.model.stream({
    agent: agent.name,
    system: agent.system,
    messages,
    signal,
  })) {
    if (chunk.type === 'text') {
      said.push(chunk.text);
      task.emit('token', { agent: agent.name, text: chunk.text });
    } else if (chunk.type === 'tool-call') {
      calls.push(chunk.call);
    } else {
      task.emit('usage', {
        agent: agent.name,
        prompt: chunk.promptTokens,
        completion: chunk.completionTokens,
      });
    }
  }
  return { text: said.join(''), calls };
}

async function carryOut(call: ToolCall, task: Task, parts: AgentParts): Promise<string> {
  task.emit('call', { name: call.name, input: call.input });
  const result =
    call.name === 'delegate' ? await delegate(call, task, parts) : await runTool(call, task, parts);
  task.emit('result', { name: call.name, output: result });
  return result;
}

async function delegate(call: ToolCall, task: Task, parts: AgentParts): Promise<string> {
  const agent = subAgents.get(call.input['agent'] ?? '');
  if (agent === undefined) return `There is no agent "${call.input['agent']}".`;
  if (task.depth >= maxDepth)
    return `Delegation deeper than ${maxDepth} is refused; answer from what you have.`;
  const refusal = refusalOf(() => admit('delegation', { depth: task.depth + 1 }));
  if (refusal !== undefined) return refusal;
  const scope = parts.openScope('agent', agent.name, { parent: task.scope });
  try {
    const messages: Message[] = [{ role: 'user', content: call.input['task'] ?? '' }];
    return await scope.run(() => respond(agent, { ...task, messages, scope, depth: task.depth + 1 }, parts));
  } finally {
    await scope.close('answered');
  }
}

/** Runs one tool in its own scope; the error of a failed tool goes to the model and not to the client. */
export async function runTool(call: ToolCall, task: Task, parts: AgentParts): Promise<string> {
  const tool = parts.tools.get(call.name);
  if (tool === undefined) return `There is no tool "${call.name}".`;
  const refusal = refusalOf(() => admit('tool'));
  if (refusal !== undefined) return refusal;
  const scope = parts.openScope('tool', tool.name, { parent: task.scope });
  try {
    const result = await scope.run(() => tool.execute(call.input, task));
    scope.charge(result.length);
    return result;
  } catch (error) {
    if (task.signal.aborted) throw error;
    return `The tool failed: ${(error as Error).message}`;
  } finally {
    await scope.close('done');
  }
}

/** The text for the model when a shed point refuses. The model can still answer from its conversation. */
function refusalOf(ask: () => unknown): string | undefined {
  try {
    ask();
    return undefined;
  } catch (error) {
    if (!isAdmitError(error)) throw error;
    return 'Memory is short: this was refused; answer from what you have.';
  }
}
