import { FileLot, SessionCache } from '@plimsoll/keep/session-cache';
import { frontAgents } from '../agent/agent.ts';
import type { Agent } from '../agent/agent.ts';
import type { Message } from '../model/message.ts';
import { ReplayBuffer } from '../run/replay-buffer.ts';
import type { SavedReplay } from '../run/replay-buffer.ts';
import type { Session } from './session.ts';

/** A parked session: its state without anything running. */
interface Parked {
  readonly agent: string;
  readonly runs: number;
  readonly history: readonly Message[];
  readonly documents: ReadonlyMap<string, string>;
  readonly checkpoints: readonly ArrayBuffer[];
  readonly replays: readonly (readonly [number, SavedReplay])[];
}

export interface ParkedSessionsOptions {
  readonly dir: string;
  readonly maxSessions: number;
  readonly replayBytes: number;
  /** Opens an empty session under an id. */
  readonly make: (id: string, agent: Agent) => Session;
  /** Ends a session that leaves memory. */
  readonly end: (session: Session, reason: string) => Promise<void>;
}

/** Seconds since 2026. It keeps the ids of this life different from those of sessions that an earlier life parked. */
const bootId = Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / 1000).toString(36);

/** The sessions in memory as a keeper. Under pressure the coldest are parked in files and found there again, also after a restart. */
export class ParkedSessions {
  readonly #options: ParkedSessionsOptions;
  readonly #cache: SessionCache<Session>;

  constructor(options: ParkedSessionsOptions) {
    this.#options = options;
    this.#cache = new SessionCache<Session>({
      name: 'agent-sessions',
      // The server refuses above its own bound. Restored sessions come in addition.
      maxEntries: options.maxSessions * 2,
      park: new FileLot({ dir: options.dir }),
      meter: (session) => session,
      freeze,
      thaw: (parked, id) => this.#thaw(parked as Parked, id),
      dispose: (session, { reason }) => options.end(session, reason),
    });
  }

  idOf(number: number): string {
    return `${bootId}-${number}`;
  }

  add(session: Session): void {
    this.#cache.set(session.id, session);
  }

  touch(id: string): void {
    this.#cache.get(id);
  }

  /** The function that claims a session while it is in use. */
  claimOf(id: string): () => { release(): void } | undefined {
    return () => this.#cache.tryAcquire(id, 'run');
  }

  /** Claims a session and restores it when it is parked or being parked; undefined when there is none. */
  async claim(id: string): Promise<{ readonly value: Session; release(): void } | undefined> {
    try {
      return await this.#cache.acquire(id, { owner: 'request' });
    } catch {
      return undefined;
    }
  }

  /** Ends a session for good, including its parked copy. */
  async forget(id: string, reason: string): Promise<void> {
    await this.#cache.close(id, reason);
  }

  async close(): Promise<void> {
    await this.#cache.drain(1);
  }

  #thaw(parked: Parked, id: string): Session {
    const agent = frontAgents.get(parked.agent);
    if (agent === undefined) throw new Error(`There is no agent "${parked.agent}".`);
    const session = this.#options.make(id, agent);
    const { history, documents, replays, checkpoints } = session.state;
    session.runs = parked.runs;
    history.push(...parked.history);
    for (const [name, text] of parked.documents) documents.set(name, text);
    let bytes = 0;
    for (const saved of parked.checkpoints) {
      checkpoints.checkpoints.push(saved);
      bytes += saved.byteLength;
    }
    for (const [run, saved] of parked.replays) {
      const replay = new ReplayBuffer(this.#options.replayBytes, chargeTo(session));
      replay.restore(saved);
      replays.set(run, replay);
    }
    if (bytes > 0) session.scope.charge(bytes);
    return session;
  }
}

function freeze({ agent, runs, state }: Session): Parked {
  const { history, documents, replays, checkpoints } = state;
  return {
    agent: agent.name,
    runs,
    history,
    documents,
    checkpoints: checkpoints.checkpoints,
    replays: [...replays].map(([run, replay]) => [run, replay.save()] as const),
  };
}

function chargeTo({ scope }: Session): (bytes: number) => void {
  return (bytes) => {
    if (bytes > 0) scope.charge(bytes);
    else if (bytes < 0) scope.credit(-bytes);
  };
}
