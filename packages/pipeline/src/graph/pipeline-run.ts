import { open } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { measure } from '@plimsoll/core/meter';
import { EventSink, OutputBag } from '@plimsoll/keep';
import { track } from '../track/track.ts';
import type { Tracked } from '../track/track.ts';
import type { StageMemory } from '../track/stage-memory.ts';
import { warnOfStage } from '../warn/stage-warning.ts';
import { ContextSnapshot } from './context-snapshot.ts';
import type { PipelineResult, PipelineSettings, RunOptions } from './pipeline.ts';
import type { StageContext, StageNode } from './stage-context.ts';

/** The reader of outputs that no stage reads. */
const resultReader = '(result)';

/** The outputs that a stage reads, with the bytes of each in the order of `after`. */
interface StageReads {
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly bytes: readonly number[];
}

const readsNothing: StageReads = { outputs: Object.freeze({}), bytes: [] };

/** One run of a pipeline: its waiting and running stages and their outputs. */
export class PipelineRun implements Disposable {
  readonly #settings: PipelineSettings;
  readonly #nodes: readonly StageNode[];
  readonly #input: unknown;
  readonly #inputBytes: number;
  readonly #scope: Scope;
  readonly #bag: OutputBag;
  readonly #waiting: Set<StageNode>;
  readonly #ended = new Map<string, number>();
  readonly #memory: StageMemory[] = [];
  readonly #over = Promise.withResolvers<void>();
  readonly #startedMs = performance.now();
  readonly #unfollow: () => void;
  /** Made with the first event, because most runs have none. */
  #sink: EventSink<unknown> | undefined;
  #running = 0;
  #peakBytes = 0;
  #dropped = 0;
  #isOver = false;

  constructor(settings: PipelineSettings, nodes: readonly StageNode[], input: unknown, options: RunOptions) {
    const { name, maxBytes } = settings;
    this.#settings = settings;
    this.#nodes = nodes;
    this.#input = input;
    this.#inputBytes = measure(input, { maxNodes: 10_000 }).bytes;
    this.#waiting = new Set(nodes);
    const { parent, signal } = options;
    this.#scope = open('run', name, {
      ...(parent !== undefined && { parent }),
      ...(signal !== undefined && { signal }),
    });
    this.#bag = new OutputBag({ name, maxBytes, scope: this.#scope });
    const cancel = (): void => this.#fail(this.#cancelled(signal?.reason));
    const runSignal = this.#scope.signal;
    runSignal.addEventListener('abort', cancel, { once: true });
    this.#unfollow = () => runSignal.removeEventListener('abort', cancel);
    if (runSignal.aborted) cancel();
  }

  async result(): Promise<PipelineResult<object, unknown>> {
    this.#next();
    await this.#over.promise;
    const last = this.#nodes.at(-1) as StageNode;
    const outputs: Record<string, unknown> = {};
    for (const { name, readers } of this.#nodes)
      if (readers.length === 0 && this.#bag.has(name)) outputs[name] = this.#bag.take(name, resultReader);
    return {
      value: outputs[last.name],
      outputs,
      stages: this.#memory,
      events: this.#sink?.take() ?? [],
      dropped: this.#dropped,
      durationMs: performance.now() - this.#startedMs,
      peakBytes: this.#peakBytes,
    };
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#unfollow();
    this.#bag[Symbol.dispose]();
    this.#sink?.[Symbol.dispose]();
    this.#scope[Symbol.dispose]();
  }

  /** Starts the stages that can start, and ends the run when none is left. */
  #next(): void {
    if (this.#isOver) return;
    for (const node of this.#waiting) {
      if (this.#running >= this.#settings.concurrency) return;
      if (!node.after.every((key) => this.#ended.has(key))) continue;
      this.#waiting.delete(node);
      this.#running++;
      void this.#runStage(node);
    }
    if (this.#running === 0 && this.#waiting.size === 0) this.#over.resolve();
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#over.reject(error);
  }

  /** Runs a stage to its end, and then the stages that waited for it. Never rejects. */
  async #runStage(node: StageNode): Promise<void> {
    try {
      const reads = this.#read(node);
      for (let attempt = 1; ; attempt++) {
        try {
          const { value, memory } = await this.#attempt(node, reads, attempt);
          this.#end(node, value, memory);
          break;
        } catch (error) {
          if (this.#isOver || attempt > node.retries) throw error;
          await this.#pause(node.backoffMs * 2 ** (attempt - 1));
        }
      }
      this.#running--;
      this.#next();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Reads the inputs of a stage from the bag. The last reader of an output removes it. */
  #read({ name, after }: StageNode): StageReads {
    if (after.length === 0) return readsNothing;
    const bytes = after.map((key) => this.#bag.bytesOf(key));
    const outputs = Object.fromEntries(after.map((key) => [key, this.#bag.take(key, name)]));
    return { outputs: Object.freeze(outputs), bytes };
  }

  #attempt(node: StageNode, reads: StageReads, attempt: number): Promise<Tracked<unknown>> {
    const { name, timeoutMs, budget } = node;
    const work = (scope: Scope): unknown => {
      const result = node.run(this.#context(node, reads, scope, attempt));
      return timeoutMs === undefined ? result : this.#inTime(node, result, scope, attempt);
    };
    // The bag needs the bytes of the output. Because it is fully walked here, the bag does not walk it again.
    return track(name, work, { parent: this.#scope, exact: true, ...(budget !== undefined && { budget }) });
  }

  /** The context of a stage. Signal and snapshot are made on first use. */
  #context(node: StageNode, reads: StageReads, scope: Scope, attempt: number): StageContext<never, object> {
    const input = this.#input;
    const inputBytes = this.#inputBytes;
    let snapshot: ContextSnapshot | undefined;
    return {
      input: input as never,
      outputs: reads.outputs,
      get snapshot() {
        return (snapshot ??= snapshotOf(input, inputBytes, node.after, reads)) as never;
      },
      get signal() {
        return scope.signal;
      },
      scope,
      attempt,
      emit: (event: unknown) => this.#emit(event),
    };
  }

  /** Waits for the result, or for the timeout if that comes first. */
  async #inTime(
    { name, timeoutMs = 0 }: StageNode,
    result: unknown,
    scope: Scope,
    attempt: number,
  ): Promise<unknown> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const { name: pipeline } = this.#settings;
      late.reject(failure('PLM_PIPELINE_STAGE_TIMEOUT', { stage: name, pipeline, ms: timeoutMs, attempt }));
      // Aborts the signal of the stage.
      scope[Symbol.dispose]();
    }, timeoutMs);
    try {
      return await Promise.race([result, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #end({ name, readers }: StageNode, value: unknown, memory: StageMemory): void {
    if (this.#isOver) return;
    this.#memory.push(memory);
    this.#bag.put(name, value, {
      consumers: readers.length === 0 ? [resultReader] : readers,
      ...(memory.isExact && { bytes: memory.returned }),
    });
    this.#ended.set(name, this.#ended.size);
    this.#peakBytes = Math.max(this.#peakBytes, this.#bag.bytes);
    this.#lookForUnread();
  }

  #lookForUnread(): void {
    const { unreadAfter, name: pipeline } = this.#settings;
    if (this.#ended.size <= unreadAfter) return;
    for (const { key, bytes, consumers } of this.#bag.pending()) {
      const stages = this.#ended.size - 1 - (this.#ended.get(key) ?? 0);
      if (stages < unreadAfter || consumers.includes(resultReader)) continue;
      const details = { pipeline, key, bytes, stages, consumers };
      warnOfStage('PLM_PIPELINE_OUTPUT_UNREAD', details, { stage: key, scope: this.#scope.path, bytes });
    }
  }

  #emit(event: unknown): boolean {
    if (this.#isOver) return false;
    const { name: pipeline, events: capacity } = this.#settings;
    const sink = (this.#sink ??= new EventSink({ name: pipeline, capacity, scope: this.#scope }));
    const isTaken = sink.push(event);
    const { dropped } = sink;
    if (dropped > this.#dropped) {
      this.#dropped = dropped;
      const about = { stage: pipeline, scope: this.#scope.path, bytes: sink.bytes };
      warnOfStage('PLM_PIPELINE_EVENTS_DROPPED', { pipeline, dropped, capacity }, about);
    }
    return isTaken;
  }

  /** Waits between attempts, unless the run ends. */
  #pause(ms: number): Promise<void> {
    const { signal } = this.#scope;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #cancelled(reason: unknown): Error {
    const why =
      reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : 'its scope closed';
    const details = {
      pipeline: this.#settings.name,
      reason: why,
      done: this.#ended.size,
      stages: this.#nodes.length,
    };
    return failure('PLM_PIPELINE_CANCELLED', details, { cause: reason });
  }
}

function snapshotOf(
  input: unknown,
  inputBytes: number,
  after: readonly string[],
  { outputs, bytes }: StageReads,
): ContextSnapshot {
  const held = { input: { value: input, bytes: inputBytes } };
  const read = after.map((key, i) => [key, { value: outputs[key], bytes: bytes[i] ?? 0 }] as const);
  return ContextSnapshot.of({ ...held, ...Object.fromEntries(read) });
}
