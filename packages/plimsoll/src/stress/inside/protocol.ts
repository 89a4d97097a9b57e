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

/** What a process says by itself: who it is, and where it listens. */
export interface Hello {
  readonly pid: number;
  readonly listening?: { readonly port: number; readonly address: string };
}

/** What is asked of a process. */
export type InsideAsk =
  | { readonly op: 'measure' }
  /** Writes a heap snapshot; answers how long the process stood still and what was alive. */
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

/** What iterations of a module came to. */
export interface Iterated {
  readonly turns: number;
  readonly errors: number;
  readonly firstError: string | null;
  readonly ms: readonly number[];
  /** Inputs of this round that were still alive after two collections, of those that were followed. */
  readonly survivors: number;
  readonly followed: number;
}

export interface Mended {
  readonly name: FaultName;
  readonly happened: number;
}
