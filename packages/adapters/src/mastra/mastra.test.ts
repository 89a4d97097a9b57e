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
