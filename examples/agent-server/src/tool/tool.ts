/** What a tool may use while it runs. */
export interface ToolContext {
  readonly signal: AbortSignal;
  /** The documents this session has already read, by id. */
  readonly documents: Map<string, string>;
}

/** A tool of the model. Its result is added to the conversation. */
export interface Tool {
  readonly name: string;
  execute(input: Readonly<Record<string, string>>, context: ToolContext): Promise<string>;
}
