import { forgetSnapshots } from './memory-snapshots.ts';

/** A run of a workflow, as far as it is used here. */
interface WorkflowRun {
  readonly runId?: unknown;
  workflowRunStatus?: string;
}

/** The runs that a workflow knows, by id. */
export type Runs = Map<string, unknown>;

/** A workflow with its runs. */
export interface RunningWorkflow {
  readonly id: string;
  readonly runs: Runs;
  readonly mastra?: object;
}

/** Nearly all runs start at once. Only those that have not after this time are held weakly. */
const youngMs = 1000;
const mostYoung = 10_000;

/** Runs that were created a moment ago. */
export class UnstartedRuns {
  #young: { readonly workflow: RunningWorkflow; readonly id: string }[] = [];
  #timer: NodeJS.Timeout | undefined;

  created(workflow: RunningWorkflow, run: unknown): void {
    const id = (run as WorkflowRun | undefined)?.runId;
    if (typeof id !== 'string' || !isUnstarted(run)) return;
    this.#young.push({ workflow, id });
    if (this.#young.length >= mostYoung) this.look();
    else this.#timer ??= setTimeout(() => this.look(), youngMs).unref();
  }

  /** Holds those weakly that have not started. */
  look(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const young = this.#young;
    this.#young = [];
    for (const { workflow, id } of young) {
      const run = workflow.runs.get(id);
      if (!isUnstarted(run)) continue;
      holdWeakly(workflow.runs, (gone) => void forgetSnapshots(workflow.mastra, gone, [workflow.id]));
      workflow.runs.set(id, run);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#young = [];
  }
}

const weak = Symbol('plimsoll: held weakly');

/**
 * Makes the runs of a workflow hold the runs that are set from now on only weakly until they start. `workflow.createRun()` puts every run into the map, and only the end
 * of a run takes it out: 4.9 KB for each run that the program dropped without starting it. Once a run has started, the map keeps it as
 * before. `dropped` is told of each run that is gone.
 */
export function holdWeakly(runs: Runs, dropped: (id: string) => void): void {
  if (weak in runs) return;
  const plain: Pick<Runs, 'get' | 'set' | 'delete'> = {
    get: (id) => Map.prototype.get.call(runs, id) as unknown,
    set: (id, run) => Map.prototype.set.call(runs, id, run) as Runs,
    delete: (id) => Map.prototype.delete.call(runs, id),
  };
  const collected = new FinalizationRegistry<string>((id) => {
    const held = plain.get(id);
    if (!(held instanceof WeakRef) || held.deref() !== undefined) return;
    plain.delete(id);
    dropped(id);
  });
  const read = (held: unknown): unknown => (held instanceof WeakRef ? held.deref() : held);
  const values = function* (): Generator<[string, unknown]> {
    for (const [id, held] of Map.prototype.entries.call(runs) as Iterable<[string, unknown]>) {
      const run = read(held);
      if (run !== undefined) yield [id, run];
    }
  };
  const own = {
    [weak]: true,
    get: (id: string) => read(plain.get(id)),
    has: (id: string) => read(plain.get(id)) !== undefined,
    set(id: string, run: unknown): Runs {
      if (!isUnstarted(run)) return plain.set(id, run);
      plain.set(id, new WeakRef(run));
      collected.register(run, id);
      onStart(run, () => {
        if (read(plain.get(id)) === run) plain.set(id, run);
      });
      return runs;
    },
    entries: values,
    values: function* () {
      for (const [, run] of values()) yield run;
    },
    forEach(work: (run: unknown, id: string, all: Runs) => void) {
      for (const [id, run] of values()) work(run, id, runs);
    },
    [Symbol.iterator]: values,
  };
  for (const key of Reflect.ownKeys(own))
    Object.defineProperty(runs, key, {
      value: own[key as keyof typeof own],
      configurable: true,
      writable: true,
    });
}

function isUnstarted(run: unknown): run is WorkflowRun {
  return typeof run === 'object' && run !== null && (run as WorkflowRun).workflowRunStatus === 'pending';
}

/** Calls `started` when the status of the run changes for the first time, and leaves a plain property behind. */
function onStart(run: WorkflowRun, started: () => void): void {
  Object.defineProperty(run, 'workflowRunStatus', {
    configurable: true,
    enumerable: true,
    get: () => 'pending',
    set(this: WorkflowRun, status: string) {
      Object.defineProperty(this, 'workflowRunStatus', {
        value: status,
        configurable: true,
        enumerable: true,
        writable: true,
      });
      if (status !== 'pending') started();
    },
  });
}
