import type { Agent } from '../agent/agent.ts';
import type { Message } from '../model/message.ts';
import type { CheckpointThread } from '../run/checkpoint-store.ts';
import type { Replays } from '../run/replay-registry.ts';
import type { Run } from '../run/run.ts';
import type { AgentScope } from '../scope/agent-scope.ts';

/** Everything a session remembers: the root its bytes are counted from, so it refers to nothing that is shared. */
export interface SessionState {
  readonly history: Message[];
  /** Documents read lately, by id. */
  readonly documents: Map<string, string>;
  /** What late readers can read. */
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

  constructor(id: string, agent: Agent, scope: AgentScope, state: SessionState, now: number) {
    this.id = id;
    this.agent = agent;
    this.scope = scope;
    this.state = state;
    this.lastUsedAt = now;
  }
}
