/** What Mastra says of a span when it begins. */
export interface MastraSpanOptions {
  readonly type: string;
  readonly name?: string;
  readonly entityId?: string;
  readonly entityName?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly input?: unknown;
  readonly parent?: object | undefined;
  /** Which kinds of spans are parts of Mastra itself, as bits: workflows 1, agents 2, tools 4. */
  readonly tracingPolicy?: { readonly internal?: number };
}

/** Who keeps the scopes of spans. */
export interface SpanScopeBook {
  began(span: object, options: MastraSpanOptions, parent: object | undefined): void;
  ended(span: object): void;
  run<T>(span: object, work: () => T): T;
}

const spanId = '0'.repeat(16);
const traceId = '0'.repeat(32);

/**
 * A span as Mastra expects it, which keeps nothing that it is given: no input, no output, no attributes. It stands where the program has no
 * observability, so nothing is exported and no result has a trace id. A call makes a dozen of them, so what is the same in all is in the
 * class.
 */
export class ScopeSpan {
  readonly name: string;
  readonly type: string;
  readonly isInternal: boolean;
  readonly tracingPolicy: MastraSpanOptions['tracingPolicy'];
  readonly parent: ScopeSpan | undefined;
  readonly #book: SpanScopeBook;
  readonly #startedAt = Date.now();

  constructor(options: MastraSpanOptions, parent: ScopeSpan | undefined, book: SpanScopeBook) {
    this.name = options.name ?? options.type;
    this.type = options.type;
    this.parent = parent;
    // An agent is a workflow of Mastra; its inner workflows and steps are not the program's.
    this.tracingPolicy = options.tracingPolicy;
    this.isInternal = ((this.tracingPolicy?.internal ?? 0) & bitOf(options.type)) !== 0;
    this.#book = book;
    book.began(this, options, parent);
  }

  get id(): string {
    return spanId;
  }

  get traceId(): string {
    return traceId;
  }

  get startTime(): Date {
    return new Date(this.#startedAt);
  }

  get isEvent(): boolean {
    return false;
  }

  /** Neither valid, which would put a trace id into results, nor invalid, which would turn scorers off. */
  get isValid(): undefined {
    return undefined;
  }

  get externalTraceId(): undefined {
    return undefined;
  }

  get observabilityInstance(): undefined {
    return undefined;
  }

  get metadata(): undefined {
    return undefined;
  }

  get isRootSpan(): boolean {
    return this.parent === undefined;
  }

  end(): void {
    this.#book.ended(this);
  }

  endTree(): void {
    this.#book.ended(this);
  }

  error(options?: { readonly endSpan?: boolean }): void {
    if (options?.endSpan !== false) this.#book.ended(this);
  }

  update(): void {}

  createChildSpan(options: MastraSpanOptions): ScopeSpan {
    return new ScopeSpan(options, this, this.#book);
  }

  createEventSpan(options: MastraSpanOptions): ScopeSpan {
    return new ScopeSpan({ type: 'event', name: options.name ?? 'event' }, this, this.#book);
  }

  /** No tracker: it would begin a span per chunk. */
  createTracker(): undefined {}

  getParentSpanId(): undefined {}

  getExportedSpanId(): undefined {}

  exportSpan(): undefined {}

  getCorrelationContext(): undefined {}

  findParent(type: string): ScopeSpan | undefined {
    let at = this.parent;
    while (at !== undefined && at.type !== type) at = at.parent;
    return at;
  }

  async executeInContext<T>(work: () => Promise<T>): Promise<T> {
    return this.#book.run(this, work);
  }

  executeInContextSync<T>(work: () => T): T {
    return this.#book.run(this, work);
  }
}

function bitOf(type: string): number {
  if (type.startsWith('workflow_')) return 1;
  if (type.startsWith('agent_')) return 2;
  return type.endsWith('tool_call') ? 4 : 0;
}
