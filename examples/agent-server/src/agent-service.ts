import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { admit, isAdmitError, isReady, isUnderPressure, management, scopeLevel } from '@plimsoll/core';
import { frontAgents } from './agent/agent.ts';
import { readJson } from './http/body.ts';
import { streamRun } from './http/event-stream.ts';
import { Problem, sendJson } from './http/problem.ts';
import type { Leaks } from './leak.ts';
import { MockModel } from './model/mock-model.ts';
import { CheckpointStore } from './run/checkpoint-store.ts';
import { ReplayRegistry } from './run/replay-registry.ts';
import { Run } from './run/run.ts';
import type { RunParts } from './run/run.ts';
import type { OpenScope } from './scope/agent-scope.ts';
import { SessionStore } from './session/session-store.ts';
import type { Session } from './session/session.ts';
import { Corpus } from './tool/corpus.ts';
import { createToolbox } from './tool/toolbox.ts';

export interface ServiceOptions {
  readonly openScope: OpenScope;
  readonly leaks: Leaks;
  readonly seed: number;
  readonly tokenMs: number;
  readonly toolMs: number;
  /** Usual size of a fetched document. */
  readonly payloadBytes: number;
  readonly idleMs: number;
  readonly maxSessions: number;
  /** Folder in which sessions are parked when memory is short. Without it they stay in memory. */
  readonly parkDir?: string;
  /** Milliseconds since some start; tests pass their own. */
  readonly now?: () => number;
}

/** The agent server without its socket: a request handler that can be mounted anywhere, and its lifetime. */
export class AgentService {
  readonly sessions: SessionStore;
  readonly #parts: RunParts;
  readonly #shutdown = new AbortController();
  readonly #sweeper: NodeJS.Timeout;
  /** Replies that are not completely sent yet. */
  readonly #replies = new Set<ServerResponse>();
  #draining = false;

  constructor(options: ServiceOptions) {
    const { leaks, openScope } = options;
    const checkpoints = new CheckpointStore(leaks);
    const replays = new ReplayRegistry(leaks);
    this.#parts = {
      model: new MockModel(options),
      tools: createToolbox(new Corpus(options.seed, options.payloadBytes), options.toolMs),
      openScope,
      checkpoints,
      replays,
      leaks,
      shutdown: this.#shutdown.signal,
      replayBytes: 1024 * 1024,
      keptRuns: 2,
      historyMessages: 60,
    };
    this.sessions = new SessionStore({ ...options, checkpoints, replays });
    this.#sweeper = setInterval(() => void this.sessions.sweep(), Math.max(options.idleMs / 4, 50)).unref();
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.#replies.add(response);
    response.once('close', () => this.#replies.delete(response));
    this.#route(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (isAdmitError(error)) {
        // The error of a shed point has the complete answer: 503, Retry-After, and nothing about the process.
        response.writeHead(error.statusCode, error.headers).end(JSON.stringify(error.problem));
      } else {
        const problem = error instanceof Problem ? error : new Problem(500, (error as Error).message);
        sendJson(response, problem.status, { error: problem.message });
      }
    });
  };

  /** Resolves when the runs in progress have finished and their replies were sent. */
  async runsEnded(): Promise<void> {
    await Promise.all([...this.sessions.sessions.values()].flatMap((session) => session.run?.finished ?? []));
    await Promise.all([...this.#replies].map((reply) => once(reply, 'close')));
  }

  /** Refuses new work, lets runs in progress finish until the deadline, cancels the rest and closes every session. */
  async drain(deadlineMs: number): Promise<void> {
    this.#draining = true;
    clearInterval(this.#sweeper);
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(deadline.resolve, deadlineMs);
    await Promise.race([this.runsEnded(), deadline.promise]);
    clearTimeout(timer);
    this.#shutdown.abort(new DOMException('The server is shutting down.', 'AbortError'));
    await this.sessions.closeAll('shutdown');
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?');
    const [, first, id, second, run, third] = path.split('/');
    const call = `${request.method} ${[first, id && ':id', second, run && ':run', third].filter(Boolean).join('/')}`;
    switch (call) {
      case 'GET healthz':
        return management(() => this.#health(response));
      case 'GET readyz':
        return management(() =>
          sendJson(response, isReady() && !this.#draining ? 200 : 503, { ready: isReady() }),
        );
      case 'GET admin/:id':
        return management(() => this.#admin(response, id as string));
      case 'POST sessions':
        return this.#open(request, response);
      case 'POST sessions/:id/turns':
        return this.#turn(request, response, id as string);
      case 'GET sessions/:id/runs/:run/stream':
        return this.#replay(request, response, id as string, Number(run));
      case 'DELETE sessions/:id':
        return this.#close(response, id as string);
      default:
        throw new Problem(404, `There is no ${request.method} ${path}.`);
    }
  }

  #health(response: ServerResponse): void {
    const status = this.#draining ? 'draining' : 'ok';
    sendJson(response, this.#draining ? 503 : 200, { status, sessions: this.sessions.size });
  }

  /** Pages for an operator, which also work while the server refuses other requests. */
  #admin(response: ServerResponse, page: string): void {
    if (page !== 'pressure') throw new Problem(404, `There is no admin page "${page}".`);
    sendJson(response, 200, { level: scopeLevel('process'), isUnderPressure: isUnderPressure() });
  }

  async #open(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#refuseWhenDraining();
    const { agent: name = 'planner' } = await readJson(request);
    const agent = frontAgents.get(String(name));
    if (agent === undefined) {
      throw new Problem(400, `There is no agent "${String(name)}": ${[...frontAgents.keys()].join(', ')}.`);
    }
    // Runs in the scope of the agent, so that its priority in the policy applies.
    this.sessions.scopeOf(agent).run(() => admit('session'));
    const session = this.sessions.open(agent);
    if (session === undefined) throw new Problem(503, 'The server is full: close a session or try later.');
    sendJson(response, 201, { id: session.id, agent: agent.name });
  }

  async #turn(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
    this.#refuseWhenDraining();
    const { session, release } = await this.#hold(id);
    try {
      await this.#runTurn(request, response, session);
    } finally {
      release();
    }
    this.sessions.use(id);
  }

  async #runTurn(request: IncomingMessage, response: ServerResponse, session: Session): Promise<void> {
    const { text, background } = await readJson(request);
    if (typeof text !== 'string' || text === '') throw new Problem(400, 'A turn needs a "text".');
    if (session.closed) throw new Problem(404, `There is no session ${session.id}.`);
    if (session.run !== undefined) {
      throw new Problem(409, `Run ${session.run.number} of session ${session.id} is still in progress.`);
    }
    // The next turn of an open session. Only a drain refuses it.
    const leave = admit('run', { continues: 'session' });
    try {
      const run = Run.start(session, text, this.#parts);
      const sawEnd = await streamRun(response, run.replay, { run: run.number, after: 0 });
      if (!sawEnd && background !== true) await run.cancel('client left');
      await run.finished;
    } finally {
      leave.release();
    }
  }

  async #replay(request: IncomingMessage, response: ServerResponse, id: string, run: number): Promise<void> {
    const { release } = await this.#hold(id);
    try {
      const replay = this.#parts.replays.find(id, run);
      if (replay === undefined)
        throw new Problem(404, `Run ${run} of session ${id} cannot be read any more.`);
      const after = Number(request.headers['last-event-id'] ?? 0);
      await streamRun(response, replay, { run, after: Number.isSafeInteger(after) ? after : 0 });
    } finally {
      release();
    }
  }

  async #close(response: ServerResponse, id: string): Promise<void> {
    (await this.#hold(id)).release();
    await this.sessions.close(id, 'deleted');
    response.writeHead(204).end();
  }

  async #hold(id: string): Promise<{ readonly session: Session; readonly release: () => void }> {
    const held = await this.sessions.hold(id);
    if (held !== undefined) return held;
    // The session is already parked for the next process.
    if (!isReady()) throw new Problem(503, 'The server is restarting: try again in a moment.');
    throw new Problem(404, `There is no session ${id}.`);
  }

  #refuseWhenDraining(): void {
    if (this.#draining) throw new Problem(503, 'The server is shutting down.');
  }
}
