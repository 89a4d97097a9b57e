import type { Scope } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { bytesOption, countOption, msOption } from '@plimsoll/keep/internal/bound';
import type { MemoryTracker } from '../track/memory-tracker.ts';
import type { StageMemory } from '../track/stage-memory.ts';
import { PipelineRun } from './pipeline-run.ts';
import type { StageNode, StageOptions } from './stage-context.ts';

export interface PipelineOptions {
  /** Most bytes of outputs in memory; more are spilled to an unlinked file. Default "64MiB". */
  readonly maxBytes?: number | string;
  /** Stages that run at the same time, default 16. */
  readonly concurrency?: number;
  /** Events that the sink of a run holds, default 1,000. The oldest are dropped, with a warning. */
  readonly events?: number;
  /** A warning is published for an output that no stage has read after this many further stages; default 8. */
  readonly unreadAfter?: number;
}

export interface RunOptions {
  /** Cancels the run. */
  readonly signal?: AbortSignal;
  /** Scope to run in, default the current one. */
  readonly parent?: Scope;
  /** Records the stages of this run. */
  readonly tracker?: MemoryTracker;
}

/** The result of a run. */
export interface PipelineResult<Outputs extends object, Last> {
  /** The output of the stage that was declared last. */
  readonly value: Last;
  /** Outputs that no stage reads. */
  readonly outputs: Readonly<Partial<Outputs>>;
  /** One entry per stage, in the order in which they ended. */
  readonly stages: readonly StageMemory[];
  /** Events that were not taken. */
  readonly events: readonly unknown[];
  readonly dropped: number;
  readonly durationMs: number;
  /** Highest bytes of outputs in memory. */
  readonly peakBytes: number;
}

/** Settings with units resolved. */
export interface PipelineSettings {
  readonly name: string;
  readonly maxBytes: number;
  readonly concurrency: number;
  readonly events: number;
  readonly unreadAfter: number;
}

/** Stages as a graph. `pipeline` makes one. */
export class Pipeline<Input, Outputs extends object, Last> {
  readonly #settings: PipelineSettings;
  readonly #stages = new Map<string, StageNode>();

  constructor(settings: PipelineSettings) {
    this.#settings = settings;
  }

  get name(): string {
    return this.#settings.name;
  }

  /** Names of the stages in the order in which they were declared. */
  get stages(): readonly string[] {
    return [...this.#stages.keys()];
  }

  /** Declares a stage. Stages that do not read from each other run at the same time. */
  stage<Name extends string, T, After extends keyof Outputs & string = never>(
    name: Name,
    options: StageOptions<Input, Outputs, After, T>,
  ): Pipeline<Input, Outputs & Record<Name, T>, T> {
    const after = options.after ?? [];
    if (this.#stages.has(name)) throw this.#bad(name, 'is declared twice');
    const node: StageNode = {
      name,
      after: [...new Set(after)],
      run: options.run as unknown as StageNode['run'],
      timeoutMs: msOption(`stage "${name}"`, 'timeout', options.timeout),
      retries: countOption(`stage "${name}"`, 'retries', options.retries, 0) ?? 0,
      backoffMs: msOption(`stage "${name}"`, 'backoff', options.backoff) ?? 100,
      budget: bytesOption(`stage "${name}"`, 'budget', options.budget),
      readers: [],
    };
    for (const key of node.after) {
      const before = this.#stages.get(key);
      if (before === undefined) throw this.#bad(name, `comes after "${key}", which is not declared`);
      before.readers.push(name);
    }
    this.#stages.set(name, node);
    return this as unknown as Pipeline<Input, Outputs & Record<Name, T>, T>;
  }

  /** Runs the stages in a scope of their own. Rejects with the error of the first stage that fails; the others are aborted. */
  async run(input: Input, options: RunOptions = {}): Promise<PipelineResult<Outputs, Last>> {
    const nodes = [...this.#stages.values()];
    if (nodes.length === 0) throw this.#bad('(none)', 'is missing: a pipeline needs one stage at least');
    const begin = async (): Promise<PipelineResult<Outputs, Last>> => {
      using run = new PipelineRun(this.#settings, nodes, input, options);
      return (await run.result()) as PipelineResult<Outputs, Last>;
    };
    return options.tracker === undefined ? await begin() : await options.tracker.run(begin);
  }

  #bad(stage: string, why: string): Error {
    return failure('PLM_PIPELINE_BAD_GRAPH', { pipeline: this.#settings.name, stage, why });
  }
}

/** Declares a pipeline: `pipeline<Question>('chat').stage('load', { run }).stage('answer', { after: ['load'], run })`. */
export function pipeline<Input = void>(
  name: string,
  options: PipelineOptions = {},
): Pipeline<Input, object, undefined> {
  return new Pipeline({
    name,
    maxBytes: bytesOption('pipeline', 'maxBytes', options.maxBytes) ?? 64 * 1024 ** 2,
    concurrency: countOption('pipeline', 'concurrency', options.concurrency) ?? 16,
    events: countOption('pipeline', 'events', options.events) ?? 1000,
    unreadAfter: countOption('pipeline', 'unreadAfter', options.unreadAfter) ?? 8,
  });
}
