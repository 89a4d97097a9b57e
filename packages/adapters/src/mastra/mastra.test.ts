import { setTimeout as sleep } from 'node:timers/promises';
import { currentScope, processScope } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { afterEach, expect, test } from 'vitest';
import { frameworks } from '../framework-slot.ts';
import { plimsoll } from './mastra.ts';
import { forgetSnapshots } from './memory-snapshots.ts';
import type { MastraSpanOptions, ScopeSpan } from './scope-span.ts';
import { holdWeakly, UnstartedRuns } from './unstarted-runs.ts';

const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await processScope().close();
});

const open = (): readonly string[] =>
  [...roster.open].map(({ path }) => path).filter((path) => path !== 'process');

/** Mastra as far as the adapter hooks it; the real one is driven in test/frameworks. */
class Mastra {
  static INTERNAL_WORKFLOW_TTL_MS = 60_000;
  readonly workflows = new Set<string>();
  __registerInternalWorkflow(workflow: { readonly id: string }, runId?: string): void {
    this.workflows.add(`${workflow.id}:${runId ?? ''}`);
  }
  __unregisterInternalWorkflow(id: string, runId: string): void {
    this.workflows.delete(`${id}:${runId}`);
  }
}

let getOrCreateSpan: (options: MastraSpanOptions) => unknown = () => undefined;
frameworks().loaded('mastra.Mastra', Mastra);
frameworks().loaded('mastra.getOrCreateSpan', getOrCreateSpan, (made) => {
  getOrCreateSpan = made as typeof getOrCreateSpan;
});

test('spans of the adapter are scopes, record nothing and hide what is a part of Mastra', async () => {
  ends.push(plimsoll());
  const agent = getOrCreateSpan({
    type: 'agent_run',
    name: 'agent run',
    entityName: 'planner',
    metadata: { threadId: 't', runId: 'r' },
    input: 'hello',
  }) as ScopeSpan;
  const inner = agent.createChildSpan({ type: 'workflow_run', tracingPolicy: { internal: 1 } });
  const tool = inner.createChildSpan({ type: 'tool_call', entityId: 'search' });
  const path = 'process/session:t/agent:planner';
  expect(tool.executeInContextSync(() => currentScope().path)).toBe(`${path}/tool:search`);
  expect(await inner.executeInContext(async () => currentScope().path)).toBe(path);
  expect(tool.findParent('agent_run')).toBe(agent);
  expect([agent.isRootSpan, tool.isRootSpan, tool.isValid, tool.createTracker()]).toEqual([
    true,
    false,
    undefined,
    undefined,
  ]);
  expect([tool.getParentSpanId(), tool.getExportedSpanId(), tool.exportSpan()]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  tool.update();
  tool.createEventSpan({ type: 'model_chunk' }).end();
  tool.error({ endSpan: false });
  expect(open()).toContain(`${path}/tool:search`);
  tool.error();
  agent.endTree();
  expect(open()).toEqual(['process/session:t']);
});

test('a run that Mastra still keeps when its agent ended is parked, until it is resumed or its time is over', async () => {
  let parkedMs: number | undefined;
  ends.push(plimsoll({ parkedMs: () => parkedMs }));
  const mastra = new Mastra();
  const workflow = { id: 'agentic-loop' };
  const suspend = async (runId: string): Promise<void> => {
    const span = getOrCreateSpan({ type: 'agent_run', name: 'a', metadata: { runId } }) as ScopeSpan;
    mastra.__registerInternalWorkflow(workflow, runId);
    span.end();
    await expect.poll(open).toContain('process/parked:a');
  };
  await suspend('r1');
  mastra.__registerInternalWorkflow(workflow, 'r1');
  expect(open()).toEqual([]);
  mastra.__unregisterInternalWorkflow('agentic-loop', 'r1');
  parkedMs = 1;
  await suspend('r2');
  await expect.poll(open).toEqual([]);
  expect(mastra.workflows.size).toBe(0);
});

test('a run is held weakly until it starts', async () => {
  const runs = new Map<string, unknown>();
  const dropped: string[] = [];
  holdWeakly(runs, (id) => dropped.push(id));
  holdWeakly(runs, () => undefined);
  const kept: { workflowRunStatus?: string } = { workflowRunStatus: 'pending' };
  runs.set('kept', kept);
  (() => {
    runs.set('dropped', { workflowRunStatus: 'pending' });
    const started = { workflowRunStatus: 'pending' };
    runs.set('started', started);
    started.workflowRunStatus = 'running';
  })();
  for (let i = 0; i < 100 && dropped.length === 0; i += 1) {
    globalThis.gc?.();
    await sleep(5);
  }
  expect(dropped).toEqual(['dropped']);
  expect([runs.has('dropped'), runs.get('kept') === kept, runs.size]).toEqual([false, true, 2]);
  expect([...runs.keys()]).toEqual(['kept', 'started']);
  expect([...runs.values()].length).toBe(2);
  const ids: string[] = [];
  for (const [id] of runs) ids.push(id);
  for (const [, id] of runs.entries()) expect(id).toBeDefined();
  runs.forEach((_, id) => ids.push(id));
  expect(ids).toEqual(['kept', 'started', 'kept', 'started']);
  expect(kept).toEqual({ workflowRunStatus: 'pending' });
});

test('a run that starts within a second is left as it is, and one that does not is held weakly', async () => {
  const workflow = { id: 'flow', runs: new Map<string, unknown>() };
  const unstarted = new UnstartedRuns();
  const create = (runId: string): { workflowRunStatus: string } => {
    const run = { runId, workflowRunStatus: 'pending' };
    workflow.runs.set(runId, run);
    unstarted.created(workflow, run);
    return run;
  };
  create('started').workflowRunStatus = 'running';
  unstarted.created(workflow, undefined);
  unstarted.look();
  expect(Object.hasOwn(workflow.runs, 'get')).toBe(false);
  (() => {
    create('dropped');
    unstarted.look();
  })();
  for (let i = 0; i < 100 && workflow.runs.size > 1; i += 1) {
    globalThis.gc?.();
    await sleep(5);
  }
  expect([...workflow.runs.keys()]).toEqual(['started']);
  create('stopped');
  unstarted.stop();
  unstarted.look();
  expect(workflow.runs.get('stopped')).toBeDefined();
});

test('only a store in memory is pruned', async () => {
  const deleted: unknown[] = [];
  const store = { deleteWorkflowRunById: async (run: unknown) => void deleted.push(run) };
  const instance = (name: string): object => ({
    getStorage: () => ({ name, getStore: async () => store }),
  });
  await forgetSnapshots(instance('LibSQLStore'), 'r', ['w']);
  await forgetSnapshots(undefined, 'r', ['w']);
  expect(deleted).toEqual([]);
  await forgetSnapshots(instance('InMemoryStorage'), 'r', ['w']);
  expect(deleted).toEqual([{ runId: 'r', workflowName: 'w' }]);
});

test('what is no message is left out of a conversation', () => {
  class MessageList {
    readonly added: unknown[] = [];
    add(messages: unknown): this {
      if (messages !== undefined) this.added.push(messages);
      return this;
    }
  }
  frameworks().loaded('mastra.MessageList', MessageList);
  ends.push(plimsoll());
  const list = new MessageList()
    .add('a')
    .add(4822)
    .add([{ role: 'user' }, 1, { role: 'user', content: 12 }])
    .add(['b']);
  expect(list.added).toEqual(['a', [{ role: 'user' }], ['b']]);
});

/** A span of `@mastra/observability` as far as the adapter hooks it. */
class Span {
  readonly options: MastraSpanOptions;
  readonly parent: Span | undefined;
  isEnded = false;
  constructor(options: MastraSpanOptions, parent?: Span) {
    this.options = options;
    this.parent = parent;
  }
  createChildSpan(options: MastraSpanOptions): Span {
    return new Span(options, this);
  }
  executeInContext<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }
  executeInContextSync<T>(work: () => T): T {
    return work();
  }
  end(): void {
    this.isEnded = true;
  }
}

class Observability {
  startSpan(options: MastraSpanOptions): Span | undefined {
    return options.name === 'not sampled' ? undefined : new Span(options);
  }
}

test("spans of the program's own observability are followed", async () => {
  frameworks().loaded('mastra.BaseSpan', Span);
  frameworks().loaded('mastra.DefaultSpan', Span);
  frameworks().loaded('mastra.BaseObservabilityInstance', Observability);
  const end = plimsoll();
  const observability = new Observability();
  expect(observability.startSpan({ type: 'agent_run', name: 'not sampled' })).toBeUndefined();
  const agent = observability.startSpan({ type: 'agent_run', name: 'planner' }) as Span;
  const chunk = agent.createChildSpan({ type: 'model_chunk', name: 'c' });
  const tool = chunk.createChildSpan({ type: 'tool_call', name: 'search' });
  expect(tool.executeInContextSync(() => currentScope().path)).toBe('process/agent:planner/tool:search');
  expect(await chunk.executeInContext(async () => currentScope().path)).toBe('process/agent:planner');
  tool.end();
  agent.end();
  expect([agent.isEnded, open()]).toEqual([true, []]);
  end();
  new Observability().startSpan({ type: 'agent_run', name: 'planner' });
  expect(open()).toEqual([]);
});

test('closing the scope of an agent stops its call, and a new run is told to its workflow', async () => {
  class Agent {
    async stream(_input: string, options: { readonly abortSignal?: AbortSignal } = {}): Promise<unknown> {
      getOrCreateSpan({ type: 'agent_run', name: 'a' });
      const { abortSignal } = options;
      await new Promise((done) => abortSignal?.addEventListener('abort', done));
      return abortSignal?.reason;
    }
    generate(): string {
      return 'done';
    }
    listAgentTools(options: { readonly delegation?: object }): readonly string[] {
      return Object.keys(options.delegation ?? {});
    }
  }
  class Workflow {
    readonly mastra = { getStorage: () => void looks.push('storage') };
    readonly runs = new Map<string, object>();
    async createRun(): Promise<object> {
      return { runId: 'r', workflowRunStatus: 'running' };
    }
  }
  const looks: string[] = [];
  frameworks().loaded('mastra.Agent', Agent);
  frameworks().loaded('mastra.Workflow', Workflow);
  ends.push(plimsoll({ checkpoints: () => ({ mostThreads: 1 }) }));
  const agent = new Agent();
  expect([agent.generate(), agent.listAgentTools({})]).toEqual(['done', ['onDelegationStart']]);
  const ended = agent.stream('hello');
  for (const scope of roster.open) if (scope.kind === 'agent') void scope.close();
  expect(String(await ended)).toBe('AbortError: process/agent:a was closed');
  expect(await new Workflow().createRun()).toMatchObject({ runId: 'r' });
  await expect.poll(() => looks).toEqual(['storage']);
});
