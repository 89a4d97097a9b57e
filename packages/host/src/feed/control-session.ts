import type { Socket } from 'node:net';
import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import type { PlimsollError } from '@plimsoll/core';
import type { ControlAnswer, Ask, ControlHandler } from '../protocol/control.ts';
import { briefWatch, LineReader, longestAnswer, longestAsk } from '../protocol/control.ts';

/** Requests of one connection that are worked on at once. */
const mostAtOnce = 8;
/** Requests of one connection per `turnMs`; further ones wait in the kernel, so that a flood costs the program almost nothing. */
const mostPerTurn = 32;
const turnMs = 50;
/** Most bytes of unread answers. Above this the connection is closed. */
const mostUnreadBytes = 8 * 1024 * 1024;

interface ControlSessionOptions {
  readonly handlers: ReadonlyMap<string, ControlHandler>;
  /** When a handler takes longer, the session answers with a timeout error. */
  readonly handlerMs: number;
  /** Called at the first request: this connection asks and does not watch. */
  readonly onAsk: () => void;
  /** Called when this watcher accepts frames without unchanged rows. */
  readonly onBrief: () => void;
}

/**
 * The requests of one connection: read line by line, answered in the order in which they are done. Everything has a bound: length of a
 * line, requests at once, requests per time, unread answers. Nothing here throws.
 */
export class ControlSession {
  readonly #socket: Socket;
  readonly #options: ControlSessionOptions;
  readonly #lines = new LineReader(longestAsk);
  #waiting: string[] = [];
  #left = mostPerTurn;
  #turn: NodeJS.Timeout | undefined;
  #atOnce = 0;

  constructor(socket: Socket, options: ControlSessionOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  start(): void {
    const socket = this.#socket;
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => this.#hear(String(chunk)));
    socket.on('close', () => {
      clearTimeout(this.#turn);
      this.#waiting = [];
    });
  }

  #hear(chunk: string): void {
    const lines = this.#lines.take(chunk);
    if (lines === undefined) {
      this.#socket.destroy();
      return;
    }
    for (const line of lines) if (line.trim() !== '') this.#waiting.push(line);
    this.#work();
  }

  /** Reads as many requests as the turn allows. The rest stays in the kernel until the next turn. */
  #work(): void {
    while (this.#waiting.length > 0 && this.#left > 0 && !this.#socket.destroyed) {
      this.#left--;
      void this.#answer(this.#waiting.shift() as string);
    }
    if (this.#socket.destroyed) return;
    if (this.#waiting.length > 0) this.#socket.pause();
    this.#turn ??= setTimeout(() => {
      this.#turn = undefined;
      this.#left = mostPerTurn;
      if (this.#waiting.length > 0) this.#work();
      if (this.#waiting.length === 0) this.#socket.resume();
    }, turnMs).unref();
  }

  async #answer(line: string): Promise<void> {
    const request = parseAsk(line);
    if (request === 'brief') {
      this.#options.onBrief();
      return;
    }
    if (request === undefined) {
      const accepted = 'one line of JSON such as {"ask":1,"op":"approvals.list","args":{}}';
      this.#refuse(null, failure('PLM_CONTROL_BAD_REQUEST', { reason: 'it is no request', accepted }));
      return;
    }
    this.#options.onAsk();
    if (this.#atOnce >= mostAtOnce) {
      this.#refuse(request.ask, failure('PLM_CONTROL_BUSY', { most: mostAtOnce }));
      return;
    }
    this.#atOnce++;
    try {
      const value = await this.#run(request);
      this.#send(request, { answer: request.ask, ok: true, value: value ?? null });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#refuse(
        request.ask,
        isPlimsollError(error) ? error : failure('PLM_CONTROL_FAILED', { op: request.op, reason }),
      );
    } finally {
      this.#atOnce--;
    }
  }

  #run({ op, args }: Ask): Promise<unknown> {
    const handler = this.#options.handlers.get(op);
    if (handler === undefined) {
      const known = [...this.#options.handlers.keys()].sort();
      return Promise.reject(failure('PLM_CONTROL_UNKNOWN_OP', { op: op.slice(0, 100), known }));
    }
    const ms = this.#options.handlerMs;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(failure('PLM_CONTROL_TIMEOUT', { op, ms, where: 'control channel' })),
        ms,
      ).unref();
      // Called inside an async function, so that a handler that throws at once is a rejection too.
      (async () => handler(args ?? {}))()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }

  #send(request: Ask, answer: ControlAnswer): void {
    const text = JSON.stringify(answer);
    if (text.length <= longestAnswer) return this.#write(text);
    const { op } = request;
    this.#refuse(
      request.ask,
      failure('PLM_CONTROL_TOO_LARGE', { op, bytes: text.length, most: longestAnswer }),
    );
  }

  #refuse(id: Ask['ask'] | null, error: PlimsollError): void {
    const { code, message, where, fix } = error;
    this.#write(JSON.stringify({ answer: id, ok: false, code, message, where, fix } satisfies ControlAnswer));
  }

  #write(text: string): void {
    if (this.#socket.destroyed) return;
    if (this.#socket.writableLength > mostUnreadBytes) this.#socket.destroy();
    else this.#socket.write(`${text}\n`);
  }
}

/** A request from a line, or `brief` for a watcher that wants brief frames; undefined for anything else. */
function parseAsk(line: string): Ask | 'brief' | undefined {
  try {
    const { ask, op, args, watch } = JSON.parse(line) as Partial<Ask & { readonly watch: unknown }>;
    if (watch === briefWatch.watch) return 'brief';
    const isId = typeof ask === 'number' || (typeof ask === 'string' && ask.length <= 100);
    const isArgs = args === undefined || (typeof args === 'object' && args !== null && !Array.isArray(args));
    return isId && typeof op === 'string' && isArgs ? { ask, op, args: args ?? {} } : undefined;
  } catch {
    return undefined;
  }
}
