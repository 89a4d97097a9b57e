/** Functions whose answer is known: what a leak test of any tool is asked about. Each returns the object that one call makes. */
import { EventEmitter } from 'node:events';

export interface Case {
  readonly name: string;
  readonly leaks: boolean;
  /** Part of the path that a report has to name. */
  readonly holder?: string;
  /** A new function with state of its own. */
  readonly make: () => (call: number) => unknown;
}

class Turn {
  readonly a = 1;
  readonly b = 2;
  readonly c = 3;
  readonly d = 4;
  readonly e = 5;
}

/** One object of 64 bytes per call: a header of 24 and five fields of 8. */
export const planted: Case = {
  name: '64 B per call in an array',
  leaks: true,
  holder: 'turns',
  make: () => {
    const turns: Turn[] = [];
    return () => {
      const turn = new Turn();
      turns.push(turn);
      return turn;
    };
  },
};

export const clean: readonly Case[] = [
  {
    name: 'JSON there and back',
    leaks: false,
    make: () => (call) =>
      JSON.parse(JSON.stringify({ call, list: [1, 2, 3], text: `turn ${call}` })) as object,
  },
  {
    name: 'a turn of the loop',
    leaks: false,
    make: () => async (call) => {
      await new Promise((resolve) => void setImmediate(resolve));
      return { call };
    },
  },
  {
    name: 'a session that is removed',
    leaks: false,
    make: () => {
      const sessions = new Map<number, object>();
      return (call) => {
        const session = { call, history: [`hello ${call}`] };
        sessions.set(call, session);
        sessions.delete(call);
        return session;
      };
    },
  },
  {
    name: 'a window of 1,000',
    leaks: false,
    make: () => {
      const window: object[] = [];
      return (call) => {
        const entry = { call, text: `turn ${call}` };
        window.push(entry);
        if (window.length > 1000) window.shift();
        return entry;
      };
    },
  },
  {
    name: 'a cache of 5,000 that fills',
    leaks: false,
    make: () => {
      const cache = new Map<number, object>();
      return (call) => {
        const entry = { call, text: `entry ${call}` };
        cache.set(call, entry);
        if (cache.size > 5000) cache.delete(cache.keys().next().value as number);
        return entry;
      };
    },
  },
  {
    name: 'warm-up of 1 KB per call for 500 calls',
    leaks: false,
    make: () => {
      const lazy: string[][] = [];
      return (call) => {
        if (call < 500) lazy.push(Array.from({ length: 16 }, (_, i) => `part ${call} ${i}`));
        return { call };
      };
    },
  },
  {
    name: 'a listener that is removed',
    leaks: false,
    make: () => {
      const emitter = new EventEmitter();
      return (call) => {
        const listener = (): number => call;
        emitter.on('turn', listener);
        emitter.off('turn', listener);
        return listener;
      };
    },
  },
  {
    name: 'a signal of its own',
    leaks: false,
    make: () => (call) => {
      const controller = new AbortController();
      controller.signal.addEventListener('abort', () => call);
      return controller;
    },
  },
  {
    name: 'a Buffer that is dropped',
    leaks: false,
    make: () => (call) => Buffer.alloc(4096, call & 255),
  },
  {
    name: 'promises',
    leaks: false,
    make: () => async (call) => {
      const all = await Promise.all([1, 2, 3].map(async (each) => each * call));
      return all;
    },
  },
];

export const leaky: readonly Case[] = [
  planted,
  {
    name: 'a session map that is never cleared',
    leaks: true,
    holder: 'sessions',
    make: () => {
      const sessions = new Map<string, object>();
      return (call) => {
        const session = { call, history: [`hello ${call}`, `answer ${call}`] };
        sessions.set(`session-${call}`, session);
        return session;
      };
    },
  },
  {
    name: 'a listener per call on a long-lived signal',
    leaks: true,
    holder: 'AbortSignal',
    make: () => {
      const shutdown = new AbortController();
      return (call) => {
        const run = { call };
        shutdown.signal.addEventListener('abort', () => run.call);
        return run;
      };
    },
  },
  {
    name: 'an emitter with one listener per call',
    leaks: true,
    holder: '_events',
    make: () => {
      const emitter = new EventEmitter().setMaxListeners(0);
      return (call) => {
        const listener = (): number => call;
        emitter.on('turn', listener);
        return listener;
      };
    },
  },
  {
    name: 'Buffers in a queue',
    leaks: true,
    holder: 'queue',
    make: () => {
      const queue: Buffer[] = [];
      return (call) => {
        const chunk = Buffer.alloc(2048, call & 255);
        queue.push(chunk);
        return chunk;
      };
    },
  },
  {
    name: 'a chain of closures',
    leaks: true,
    holder: 'last',
    make: () => {
      let last: () => unknown = () => undefined;
      return (call) => {
        const before = last;
        last = () => [before, call];
        return last;
      };
    },
  },
];
