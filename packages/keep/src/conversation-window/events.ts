/** Why messages left a window. */
export type DropReason = 'bound' | 'summarised' | 'orphan' | 'shed' | 'clear';

/** What a window reports, by name of the event. */
export interface WindowEvents {
  /** Messages left the window. */
  readonly drop: {
    readonly messages: number;
    readonly bytes: number;
    readonly tokens: number;
    readonly reason: DropReason;
  };
  /** A summary took the place of messages. */
  readonly summary: { readonly messages: number; readonly bytes: number };
  /** A summary could not be had; the messages stay until a bound takes them. */
  readonly 'summary-failed': { readonly messages: number; readonly cause: unknown };
  /** A tool result came whose call is not in the window. */
  readonly orphan: { readonly ids: readonly string[] };
  /** The newest unit alone is larger than a bound. */
  readonly oversize: { readonly bytes: number; readonly tokens: number };
  /** A message to be pinned was not, because half of a bound is pinned already. */
  readonly 'pin-refused': { readonly bytes: number };
  /** A function given in the options threw. */
  readonly 'hook-failed': { readonly hook: string; readonly cause: unknown };
}
