import type { StressChild } from './child.ts';
import type { HttpClient, ReaderManner } from './http-client.ts';
import type { IterateMode, Iterated } from './inside/protocol.ts';
import { runLoad, LoadTally } from './load.ts';
import type { Random } from './random.ts';
import type { SessionPlan } from './recipe.ts';

/** One stretch of load. */
export interface Stretch {
  readonly forMs: number;
  readonly parallel: number;
  readonly mostSessions?: number;
  /** Size of the user's texts. */
  readonly textBytes?: number;
  /** Length of a conversation. */
  readonly turns?: number;
  readonly readingOf?: (random: Random) => ReaderManner;
  /** Kind of input for a module. */
  readonly mode?: IterateMode;
}

/** Puts load on a child, a server or a module. */
export interface LoadDriver {
  readonly kind: 'server' | 'module';
  load(stretch: Stretch): Promise<LoadTally>;
  /** One ordinary use; true when it succeeded. */
  works(): Promise<boolean>;
}

export function serverDriver(
  client: HttpClient,
  sessions: readonly SessionPlan[],
  random: Random,
  signal: AbortSignal,
): LoadDriver {
  return {
    kind: 'server',
    load: (stretch) => runLoad({ ...stretch, client, sessions, random, signal }),
    async works() {
      const tally = await runLoad({
        client,
        sessions,
        random,
        signal,
        parallel: 1,
        forMs: 10_000,
        mostSessions: 1,
      });
      return tally.calls > 0 && tally.errors === 0;
    },
  };
}

/** Number of inputs of a module that were still alive after it had returned. */
export interface KeptInputs {
  followed: number;
  survivors: number;
}

const longestMs = 600_000;

export function moduleDriver(child: StressChild, random: Random, kept: KeptInputs): LoadDriver {
  const iterate = async (stretch: Stretch): Promise<LoadTally> => {
    const tally = new LoadTally();
    const { mode = 'plain', parallel, forMs } = stretch;
    const ask = {
      op: 'iterate' as const,
      turns: stretch.mostSessions ?? 1_000_000,
      parallel,
      forMs,
      seed: random.below(2 ** 31),
      mode: stretch.textBytes === undefined ? mode : ('large' as const),
    };
    let done: Iterated;
    try {
      done = await child.link.ask<Iterated>(child.pid, ask, forMs + longestMs);
    } catch (error) {
      tally.count('iterate()', noAnswer((error as Error).message), true);
      return tally;
    }
    for (const ms of done.ms) tally.latencies.add(ms);
    const row = { count: done.turns, errors: done.errors, latencies: tally.latencies };
    tally.rows.set('iterate()', row);
    tally.calls = tally.sessions = done.turns;
    tally.errors = done.errors;
    if (done.firstError !== null) tally.faults.set(`iterate(): ${done.firstError}`, done.errors);
    kept.followed += done.followed;
    kept.survivors += done.survivors;
    return tally;
  };
  return {
    kind: 'module',
    load: iterate,
    async works() {
      const tally = await iterate({ forMs: 10_000, parallel: 1, mostSessions: 1 });
      return tally.calls > 0 && tally.errors === 0;
    },
  };
}

function noAnswer(error: string): Parameters<LoadTally['count']>[1] {
  return { status: 0, ms: 0, text: '', bytes: 0, headers: {}, error, hasMisbehaved: false };
}
