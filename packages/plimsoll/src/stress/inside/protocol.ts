/** Environment variable with the socket on which `plimsoll stress` listens. */
export const socketVariable = 'PLIMSOLL_STRESS_SOCKET';

/** Memory of a process right after full collections, in bytes. */
export interface Measure {
  readonly at: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly rss: number;
  /** Timers, sockets and the like that keep the process alive, by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Faults that are put into a process. */
const faultNames = [
  'disk-full',
  'clock-forward',
  'clock-back',
  'calls-throw',
  'calls-hang',
  'calls-slow',
  'timers-slow',
  'child-killed',
] as const;
export type FaultName = (typeof faultNames)[number];

/** First message of a process: its identity and its listening port. */
export interface Hello {
  readonly pid: number;
  readonly listening?: { readonly port: number; readonly address: string };
}

/** Requests to a process. */
export type InsideAsk =
  | { readonly op: 'measure' }
  /** Writes a heap snapshot. Answers with the time that the process was stopped and its live bytes. */
  | { readonly op: 'snapshot'; readonly file: string }
  | { readonly op: 'fault'; readonly name: FaultName }
  /** Ends every fault; answers how often each took effect. */
  | { readonly op: 'mend' }
  | {
      readonly op: 'iterate';
      readonly turns: number;
      readonly parallel: number;
      readonly forMs: number;
      readonly seed: number;
      readonly mode: IterateMode;
    };

export type IterateMode = 'plain' | 'large' | 'cyclic' | 'malformed' | 'aborted' | 'events';

/** Result of iterations of a module. */
export interface Iterated {
  readonly turns: number;
  readonly errors: number;
  readonly firstError: string | null;
  readonly ms: readonly number[];
  /** Followed inputs of this round that were still alive after two collections. */
  readonly survivors: number;
  readonly followed: number;
}

export interface Mended {
  readonly name: FaultName;
  readonly happened: number;
}
