import type { Agent } from '../agent/agent.ts';
import type { Message } from '../model/message.ts';
import type { CheckpointThread } from '../run/checkpoint-store.ts';
import type { Replays } from '../run/replay-registry.ts';
import type { Run } from '../run/run.ts';
import type { AgentScope } from '../scope/agent-scope.ts';

/** The state of a session. Its bytes are counted from this root, so it refers to nothing that is shared. */
export interface SessionState {
  readonly history: Message[];
  /** Documents read lately, by id. */
  readonly documents: Map<string, string>;
  /** Events for late readers. */
  readonly replays: Replays;
  readonly checkpoints: CheckpointThread;
}

/** One user's conversation with one agent, from `POST /sessions` until it is deleted or swept. */
export class Session {
  readonly id: string;
  readonly agent: Agent;
  readonly scope: AgentScope;
  readonly state: SessionState;
  lastUsedAt: number;
  runs = 0;
  /** The run in progress. */
  run: Run | undefined;
  closed = false;
  readonly #keep: (() => { release(): void } | undefined) | undefined;

  /** `keep` claims the session in the cache that holds it, if one does. */
  constructor(
    id: string,
    agent: Agent,
    scope: AgentScope,
    state: SessionState,
    now: number,
    keep?: () => { release(): void } | undefined,
  ) {
    this.id = id;
    this.agent = agent;
    this.scope = scope;
    this.state = state;
    this.lastUsedAt = now;
    this.#keep = keep;
  }

  /** Claims the session. A session in use is neither evicted nor parked. */
  lease(): { release(): void } {
    const kept = this.#keep?.();
    const leased = this.scope.lease();
    return {
      release: () => {
        leased.release();
        kept?.release();
      },
    };
  }

  /** Approximate bytes of the session, for the cache that decides which one to evict. */
  get bytes(): number {
    const { history, documents, replays, checkpoints } = this.state;
    let bytes = 1024;
    for (const { content } of history) bytes += content.length;
    for (const text of documents.values()) bytes += text.length;
    for (const replay of replays.values()) bytes += replay.bytes;
    for (const saved of checkpoints.checkpoints) bytes += saved.byteLength;
    return bytes;
  }
}
