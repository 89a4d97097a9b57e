import type { PlimsollError } from '@plimsoll/core';

/** What a replay buffer reports, by name of the event. */
export interface ReplayBufferEvents {
  /** Chunks went to the temporary file. */
  readonly spill: { readonly chunks: number; readonly bytes: number; readonly fileBytes: number };
  /** Chunks could not go to the file; the lag policies of the readers apply instead. */
  readonly 'spill-failed': { readonly error: PlimsollError };
  /** A reader lost chunks because it was too slow, or asked for chunks that are gone. */
  readonly dropped: { readonly reader: string; readonly chunks: number };
  /** Chunks are gone that every reader of that moment had read; a late reader will miss them. */
  readonly forgotten: { readonly chunks: number; readonly bytes: number };
  /** A reader was cut off because it was too slow or stopped reading. */
  readonly disconnected: { readonly reader: string; readonly error: PlimsollError };
  /** The producer has to wait for a reader. */
  readonly blocked: { readonly readers: readonly string[]; readonly bytes: number };
  /** The stream is over: ended, failed or cancelled. */
  readonly end: { readonly chunks: number; readonly outcome: 'ended' | 'failed' | 'cancelled' };
  /** Everything kept has been let go of. */
  readonly release: { readonly chunks: number };
  /** A function given in the options threw. */
  readonly 'hook-failed': { readonly hook: string; readonly cause: unknown };
}
