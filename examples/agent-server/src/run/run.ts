import { respond, runTool } from '../agent/respond.ts';
import type { AgentParts, Task } from '../agent/respond.ts';
import type { Leaks } from '../leak.ts';
import type { Message } from '../model/message.ts';
import type { AgentScope } from '../scope/agent-scope.ts';
import type { Session } from '../session/session.ts';
import type { CheckpointStore } from './checkpoint-store.ts';
import { ReplayBuffer } from './replay-buffer.ts';
import type { ReplayRegistry } from './replay-registry.ts';

export interface RunParts extends AgentParts {
  readonly checkpoints: CheckpointStore;
  readonly replays: ReplayRegistry;
  readonly leaks: Leaks;
  /** Aborted once, when the process ends, so it outlives every run. */
  readonly shutdown: AbortSignal;
  readonly replayBytes: number;
  /** Most runs per session that late readers can read. */
  readonly keptRuns: number;
  readonly historyMessages: number;
}

/** One turn of a session, from the user's text to the checkpoint; it ends by itself, by `cancel` or with its session. */
export class Run {
  readonly number: number;
  readonly replay: ReplayBuffer;
  readonly #session: Session;
  readonly #parts: RunParts;
  readonly #scope: AgentScope;
  readonly #signal: AbortSignal;
  /** The working copy of the conversation; becomes the session's history when the run succeeds. */
  readonly #messages: Message[];
  #finished: Promise<void> = Promise.resolve();

  private constructor(session: Session, text: string, parts: RunParts) {
    session.runs += 1;
    this.number = session.runs;
    this.#session = session;
    this.#parts = parts;
    this.#messages = [...session.state.history, { role: 'user', content: text }];
    const { scope } = session;
    this.replay = new ReplayBuffer(parts.replayBytes, chargeTo(scope));
    this.#scope = parts.openScope('run', String(this.number), {
      parent: scope,
      ...(parts.leaks.has('abort-listener') ? {} : { signal: parts.shutdown }),
    });
    this.#scope.watch(this, 'run');
    this.#signal = this.#scope.signal;
    if (parts.leaks.has('abort-listener')) {
      // Planted leak: this listener is never removed, so the shutdown signal holds all runs.
      parts.shutdown.addEventListener('abort', () => void this.cancel('shutdown'));
    }
  }

  static start(session: Session, text: string, parts: RunParts): Run {
    const run = new Run(session, text, parts);
    session.run = run;
    session.state.replays.set(run.number, run.replay);
    run.#finished = run.#scope.run(() => run.#work());
    return run;
  }

  /** Resolves when the run has ended, however it ended. */
  get finished(): Promise<void> {
    return this.#finished;
  }

  async cancel(reason: string): Promise<void> {
    await this.#scope.close(reason);
    await this.#finished;
  }

  async #work(): Promise<void> {
    const { replay } = this;
    const lease = this.#session.lease();
    try {
      const { agent } = this.#session;
      if (agent.retrieves) await this.#stage('rag', (task) => this.#retrieve(task));
      const answer = await this.#stage('reply', (task) => respond(agent, task, this.#parts));
      this.#remember();
      replay.append('done', { run: this.number, length: answer.length });
    } catch (error) {
      if (this.#signal.aborted) replay.append('cancelled', { run: this.number });
      else replay.append('error', { run: this.number, message: (error as Error).message });
    } finally {
      replay.end();
      lease.release();
      this.#session.run = undefined;
      this.#parts.replays.trim(this.#session.state.replays, this.#parts.keptRuns);
      await this.#scope.close('finished');
    }
  }

  async #stage<Result>(name: string, work: (task: Task) => Promise<Result>): Promise<Result> {
    const scope = this.#parts.openScope('stage', name, { parent: this.#scope });
    try {
      return await scope.run(() =>
        work({
          messages: this.#messages,
          depth: 0,
          scope,
          signal: this.#signal,
          documents: this.#session.state.documents,
          emit: (event, data) => this.replay.append(event, data),
        }),
      );
    } finally {
      await scope.close('done');
    }
  }

  /** Adds related material before the question, as in retrieval. */
  async #retrieve(task: Task): Promise<void> {
    const question = this.#messages.at(-1) as Message;
    const query = question.content.split(' ').at(-1) ?? '';
    const content = await runTool({ name: 'search', input: { query } }, task, this.#parts);
    this.#messages.splice(-1, 0, { role: 'tool', tool: 'search', content });
  }

  /** Copies the conversation into the session and saves it. */
  #remember(): void {
    const { history, checkpoints } = this.#session.state;
    const kept = this.#messages.slice(-this.#parts.historyMessages);
    history.splice(0, history.length, ...kept);
    const grown = this.#parts.checkpoints.save(checkpoints, history);
    chargeTo(this.#session.scope)(grown);
  }
}

/** Outside the class, because a closure beside one that uses `this` would share its context and retain the whole run. */
function chargeTo(scope: AgentScope): (bytes: number) => void {
  return (bytes) => {
    if (bytes > 0) scope.charge(bytes);
    else if (bytes < 0) scope.credit(-bytes);
  };
}
