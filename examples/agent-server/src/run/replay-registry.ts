import type { Leaks } from '../leak.ts';
import type { ReplayBuffer } from './replay-buffer.ts';

/** The replay buffers of one session by run number, oldest first. */
export type Replays = Map<number, ReplayBuffer>;

/** The replay buffers of every session in the process, where a late reader finds a run by its address. */
export class ReplayRegistry {
  readonly sessions = new Map<string, Replays>();
  readonly #leaks: Leaks;

  constructor(leaks: Leaks) {
    this.#leaks = leaks;
  }

  open(session: string): Replays {
    const replays: Replays = new Map();
    this.sessions.set(session, replays);
    return replays;
  }

  find(session: string, run: number): ReplayBuffer | undefined {
    return this.sessions.get(session)?.get(run);
  }

  /** Drops all but the newest runs. */
  trim(replays: Replays, kept: number): void {
    // Planted leak: "somebody may still want to read it", so the events of all runs stay.
    if (this.#leaks.has('replay-buffer')) return;
    for (const [run, replay] of replays) {
      if (replays.size <= kept) return;
      replay.release();
      replays.delete(run);
    }
  }

  close(session: string): void {
    // The second half of the planted leak: the end of the session does not drop them either.
    if (this.#leaks.has('replay-buffer')) return;
    for (const replay of this.sessions.get(session)?.values() ?? []) replay.release();
    this.sessions.delete(session);
  }
}
