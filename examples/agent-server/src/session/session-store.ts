import type { Agent } from '../agent/agent.ts';
import type { Leaks } from '../leak.ts';
import type { CheckpointStore } from '../run/checkpoint-store.ts';
import type { ReplayRegistry } from '../run/replay-registry.ts';
import type { AgentScope, OpenScope } from '../scope/agent-scope.ts';
import { ParkedSessions } from './parked-sessions.ts';
import { Session } from './session.ts';
import type { SessionState } from './session.ts';

export interface SessionStoreOptions {
  readonly maxSessions: number;
  /** A session that is unused for this time is closed. */
  readonly idleMs: number;
  readonly leaks: Leaks;
  readonly openScope: OpenScope;
  readonly checkpoints: CheckpointStore;
  readonly replays: ReplayRegistry;
  /** Folder in which sessions are parked when memory is short or the process restarts. Without it they are only kept in a map. */
  readonly parkDir?: string;
  readonly replayBytes?: number;
  /** Milliseconds since some start; tests pass their own. */
  readonly now?: () => number;
}

/** The open sessions by id. It is the only owner of a session, so a closed session is released everywhere. */
export class SessionStore {
  readonly sessions = new Map<string, Session>();
  readonly #options: SessionStoreOptions;
  readonly #now: () => number;
  readonly #agentScopes = new Map<string, AgentScope>();
  readonly #parked: ParkedSessions | undefined;
  #opened = 0;
  #open = 0;

  constructor(options: SessionStoreOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    const { parkDir, maxSessions, replayBytes = 1024 * 1024 } = options;
    if (parkDir === undefined) return;
    this.#parked = new ParkedSessions({
      dir: parkDir,
      maxSessions,
      replayBytes,
      make: (id, agent) => this.#make(id, agent),
      end: (session, reason) => this.#end(session, reason),
    });
  }

  /** Number of open sessions, without closed ones that leaked. */
  get size(): number {
    return this.#open;
  }

  /** A new session, or undefined when the server is full. */
  open(agent: Agent): Session | undefined {
    if (this.#open >= this.#options.maxSessions) return undefined;
    this.#opened += 1;
    const session = this.#make(this.#parked?.idOf(this.#opened) ?? String(this.#opened), agent);
    this.#parked?.add(session);
    return session;
  }

  /** An empty session. */
  #make(id: string, agent: Agent): Session {
    const { openScope, checkpoints, replays } = this.#options;
    this.#open += 1;
    const state: SessionState = {
      history: [],
      documents: new Map(),
      replays: replays.open(id),
      checkpoints: checkpoints.open(id),
    };
    const scope = openScope('session', id, { parent: this.scopeOf(agent), root: state });
    // Two registries also refer to these by session id. Without a root of their own they would belong to no scope.
    scope.root(state.replays);
    scope.root(state.checkpoints);
    scope.watch(state, 'state');
    scope.watch(state.replays, 'replay buffers');
    scope.watch(state.checkpoints, 'checkpoints');
    const session = new Session(id, agent, scope, state, this.#now(), this.#parked?.claimOf(id));
    scope.own(() => replays.close(id), 'replay buffers');
    scope.own(() => checkpoints.delete(id), 'checkpoints');
    this.sessions.set(id, session);
    return session;
  }

  /** The open session with this id, marked as used. */
  use(id: string): Session | undefined {
    const session = this.sessions.get(id);
    if (session === undefined || session.closed) return undefined;
    session.lastUsedAt = this.#now();
    this.#parked?.touch(id);
    return session;
  }

  /** The session with this id, also when it was parked. */
  async find(id: string): Promise<Session | undefined> {
    const held = await this.hold(id);
    held?.release();
    return held?.session;
  }

  /** The session with this id, claimed from now on. Otherwise it could be parked while a request reads its body. */
  async hold(id: string): Promise<{ readonly session: Session; readonly release: () => void } | undefined> {
    const claim = await this.#parked?.claim(id);
    const session = this.#parked === undefined ? this.use(id) : claim?.value;
    if (session === undefined || session.closed) {
      claim?.release();
      return undefined;
    }
    session.lastUsedAt = this.#now();
    return { session, release: () => claim?.release() };
  }

  /** Ends the run in progress, then the session; false when there is no such session. */
  async close(id: string, reason: string): Promise<boolean> {
    const session = this.sessions.get(id);
    if (session === undefined || session.closed) return false;
    await this.#end(session, reason);
    await this.#parked?.forget(id, reason);
    return true;
  }

  async #end(session: Session, reason: string): Promise<void> {
    if (session.closed) return;
    session.closed = true;
    this.#open -= 1;
    // Planted leak: closed sessions stay in the map, state and all.
    if (!this.#options.leaks.has('session-map')) this.sessions.delete(session.id);
    await session.run?.cancel(reason);
    await session.scope.close(reason);
  }

  /** Closes sessions that were idle for too long. A session with a run in progress is in use. */
  async sweep(): Promise<number> {
    const before = this.#now() - this.#options.idleMs;
    const idle = [...this.sessions.values()].filter(
      (session) => !session.closed && session.run === undefined && session.lastUsedAt <= before,
    );
    await Promise.all(idle.map((session) => this.close(session.id, 'idle')));
    return idle.length;
  }

  /** Closes every session and the agents' scopes. Parked sessions stay in their files. */
  async closeAll(reason: string): Promise<void> {
    await Promise.all([...this.sessions.keys()].map((id) => this.close(id, reason)));
    await Promise.all([...this.#agentScopes.values()].map((scope) => scope.close(reason)));
    this.#agentScopes.clear();
    await this.#parked?.close();
  }

  /** Agents live as long as the server; their scopes are opened on first use. */
  scopeOf(agent: Agent): AgentScope {
    let scope = this.#agentScopes.get(agent.name);
    if (scope === undefined) {
      scope = this.#options.openScope('agent', agent.name);
      this.#agentScopes.set(agent.name, scope);
    }
    return scope;
  }
}
