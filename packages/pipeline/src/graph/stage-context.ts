import type { Scope } from '@plimsoll/core';
import type { ContextSnapshot } from './context-snapshot.ts';

/** The argument of a stage of a pipeline. */
export interface StageContext<Input, Reads extends object> {
  readonly input: Input;
  /** Outputs of the stages named in `after`. */
  readonly outputs: Readonly<Reads>;
  /** Input and outputs with their bytes. */
  readonly snapshot: ContextSnapshot<{ readonly input: Input } & Reads>;
  /** Aborted when the stage is over its time, when another stage fails, and when the run is cancelled. */
  readonly signal: AbortSignal;
  /** The scope of this stage. Everything that it owns is released when the stage ends. */
  readonly scope: Scope;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Puts an event into the sink of the run; false when it was dropped. */
  emit(event: unknown): boolean;
}

export interface StageOptions<Input, Outputs extends object, After extends keyof Outputs & string, T> {
  /** Stages whose outputs this one reads. It begins when they have ended. */
  readonly after?: readonly After[];
  readonly run: (context: StageContext<Input, Pick<Outputs, After>>) => T | Promise<T>;
  /** Time limit of one attempt, default none. */
  readonly timeout?: number | string;
  /** Further attempts after a failure, default 0. */
  readonly retries?: number;
  /** Wait before the first further attempt, doubled each time; default 100 ms. */
  readonly backoff?: number | string;
  /** Most bytes that the output may hold; above it a warning is published. */
  readonly budget?: number | string;
}

/** A stage with units resolved. */
export interface StageNode {
  readonly name: string;
  readonly after: readonly string[];
  readonly run: (context: StageContext<never, object>) => unknown;
  readonly timeoutMs: number | undefined;
  readonly retries: number;
  readonly backoffMs: number;
  readonly budget: number | undefined;
  /** Stages that read its output. */
  readonly readers: string[];
}
