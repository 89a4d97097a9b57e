/** What this server asks of a scope. Plimsoll's `Scope` has all of it; `PlainScope` is what is left with `--ungoverned`. */
export interface AgentScope {
  readonly path: string;
  /** Aborted when the scope closes or the longer-lived signal it forwards is aborted. */
  readonly signal: AbortSignal;
  run<Result>(work: () => Result): Result;
  charge(bytes: number): void;
  credit(bytes: number): void;
  /** Runs when the scope closes, last owned first. */
  own(dispose: () => void, label?: string): unknown;
  /** Registers an object whose memory is this scope's. */
  root(object: object): unknown;
  /** Names an object that must be gone after the scope closed. */
  watch(object: object, label: string): unknown;
  /** Claims the scope: while it is leased nobody evicts it. */
  lease(): { release(): void };
  close(reason?: string): Promise<unknown>;
}

export interface AgentScopeOptions {
  readonly parent?: AgentScope;
  readonly signal?: AbortSignal;
  /** What this scope's bytes are counted from. */
  readonly root?: object;
}

export type OpenScope = (kind: string, name: string, options?: AgentScopeOptions) => AgentScope;
