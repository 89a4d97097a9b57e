// @plimsoll/isolate: DeathCause IsolateAutopsy IsolateCallOptions IsolateError IsolateOptions IsolateStats Isolated isIsolateError isolate
export type DeathCause = 'heap' | 'outside-heap' | 'cgroup' | 'timeout' | 'aborted' | 'crashed';
export interface IsolateAutopsy {
  readonly cause: DeathCause; readonly pid: number; readonly limitBytes: number; readonly peakBytes: number;
  readonly ms: number; readonly exitCode: number | null; readonly signal: string | null;
  readonly lastLine: string | undefined;
}
export interface IsolateCallOptions {
  readonly signal?: AbortSignal; readonly scope?: Scope; readonly timeout?: number | string;
}
export declare class IsolateError extends PlimsollError {
  readonly autopsy: IsolateAutopsy | undefined;
  constructor(code: string, text: ErrorText, autopsy: IsolateAutopsy | undefined, cause?: unknown);
}
export interface IsolateOptions {
  readonly limit: number | string; readonly timeout: number | string; readonly export?: string; readonly size?: number;
  readonly queue?: number; readonly warm?: number; readonly idle?: number | string;
  readonly recycle?: { readonly tasks?: number; readonly age?: number | string; readonly growth?: number | string; };
  readonly output?: 'inherit' | 'ignore'; readonly cgroup?: boolean; readonly name?: string;
}
export interface IsolateStats {
  readonly processes: number; readonly busy: number; readonly waiting: number; readonly started: number;
  readonly recycled: number; readonly pids: readonly number[];
}
export interface Isolated<Input, Output> {
  (input: Input, options?: IsolateCallOptions): Promise<Output>;
  stats(): IsolateStats;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
export declare function isIsolateError(value: unknown): value is IsolateError;
export declare function isolate<Input = unknown, Output = unknown>(module: URL | string, options: IsolateOptions): Isolated<Input, Output>;
