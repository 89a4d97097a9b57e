import { open } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { countOption } from '@plimsoll/keep/internal/bound';
import { track } from '../track/track.ts';
import type { StageMemory } from '../track/stage-memory.ts';
import type { MessageSizeValidator } from './message-size.ts';

/** The five moments of an agent's loop. Each runs in a scope of its own inside of the cycle's scope. */
export interface AgentHooks<Message, Task, Result> {
  /** The messages since the last cycle. */
  inbox(scope: Scope): readonly Message[] | Promise<readonly Message[]>;
  /** The tasks that follow from the messages. */
  tasks(messages: readonly Message[], scope: Scope): readonly Task[] | Promise<readonly Task[]>;
  /** Runs one task. */
  execute(task: Task, scope: Scope): Result | Promise<Result>;
  /** Whether a result passes; default yes. */
  gates?(result: Result, scope: Scope): boolean | Promise<boolean>;
  /** Takes the results that passed. */
  done?(results: readonly Result[], scope: Scope): void | Promise<void>;
}

export interface AgentCycleOptions {
  /** Most messages of one cycle, default 1,000. The others are counted as refused. */
  readonly maxMessages?: number;
  /** Most tasks of one cycle, default 1,000. */
  readonly maxTasks?: number;
  /** Messages that are too large are refused. */
  readonly size?: MessageSizeValidator;
  readonly signal?: AbortSignal;
}

/** The result of one cycle. */
export interface AgentCycle<Result> {
  readonly results: readonly Result[];
  readonly refusedMessages: number;
  readonly refusedTasks: number;
  readonly refusedResults: number;
  /** Errors of tasks, which do not end the cycle. */
  readonly failed: readonly unknown[];
  /** One entry per phase; `execute` has one per task. */
  readonly memory: readonly StageMemory[];
}

/** Runs one cycle of an agent: inbox, tasks, execute, gates, done. Everything that the cycle owned is released when it ends. */
export async function agentCycle<Message, Task, Result>(
  agent: string,
  hooks: AgentHooks<Message, Task, Result>,
  options: AgentCycleOptions = {},
): Promise<AgentCycle<Result>> {
  const maxMessages = countOption('agentCycle', 'maxMessages', options.maxMessages) ?? 1000;
  const maxTasks = countOption('agentCycle', 'maxTasks', options.maxTasks) ?? 1000;
  const { signal, size } = options;
  await using cycle = open('cycle', agent, signal === undefined ? {} : { signal });
  const memory: StageMemory[] = [];
  const phase = async <T>(name: string, work: (scope: Scope) => T | Promise<T>): Promise<T> => {
    cycle.signal.throwIfAborted();
    const tracked = await track(name, work, { parent: cycle });
    memory.push(tracked.memory);
    return tracked.value;
  };
  const received = await phase('inbox', (scope) => hooks.inbox(scope));
  const messages = received.slice(0, maxMessages).filter((message) => size?.fits(message) ?? true);
  const wanted = await phase('tasks', (scope) => hooks.tasks(messages, scope));
  const failed: unknown[] = [];
  const made: Result[] = [];
  for (const task of wanted.slice(0, maxTasks)) {
    try {
      made.push(await phase('execute', (scope) => hooks.execute(task, scope)));
    } catch (error) {
      if (cycle.signal.aborted) throw error;
      failed.push(error);
    }
  }
  const results = await phase('gates', (scope) => passing(made, scope, hooks));
  if (hooks.done !== undefined) await phase('done', (scope) => hooks.done?.(results, scope));
  return {
    results,
    refusedMessages: received.length - messages.length,
    refusedTasks: Math.max(0, wanted.length - maxTasks),
    refusedResults: made.length - results.length,
    failed,
    memory,
  };
}

async function passing<Message, Task, Result>(
  made: readonly Result[],
  scope: Scope,
  hooks: AgentHooks<Message, Task, Result>,
): Promise<readonly Result[]> {
  if (hooks.gates === undefined) return made;
  const passed: Result[] = [];
  for (const result of made) if (await hooks.gates(result, scope)) passed.push(result);
  return passed;
}
