import type { Leaks } from '../leak.ts';

/** The saved states of one session, oldest first. */
export class CheckpointThread {
  readonly checkpoints: ArrayBuffer[] = [];
}

/** Saved conversation states by session, so that an interrupted session can go on where it was. They live outside the V8 heap. */
export class CheckpointStore {
  readonly threads = new Map<string, CheckpointThread>();
  readonly #leaks: Leaks;
  readonly #encoder = new TextEncoder();

  constructor(leaks: Leaks) {
    this.#leaks = leaks;
  }

  open(session: string): CheckpointThread {
    const thread = new CheckpointThread();
    this.threads.set(session, thread);
    return thread;
  }

  /** Saves the state and returns the growth of the thread in bytes. */
  save(thread: CheckpointThread, state: unknown): number {
    const saved = this.#encoder.encode(JSON.stringify(state)).buffer;
    let grown = saved.byteLength;
    // Planted leak: every turn keeps its own copy of the whole conversation, quadratic in the turns and not visible in heapUsed.
    if (!this.#leaks.has('checkpoints')) {
      for (const replaced of thread.checkpoints.splice(0)) grown -= replaced.byteLength;
    }
    thread.checkpoints.push(saved);
    return grown;
  }

  delete(session: string): void {
    // The second half of the planted leak: a closed session's thread is never deleted.
    if (this.#leaks.has('checkpoints')) return;
    this.threads.delete(session);
  }
}
