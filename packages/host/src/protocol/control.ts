import { connect } from 'node:net';
import { PlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { checkSocket } from '@plimsoll/core/internal/own-path';

/** Longest request in bytes; a longer line ends the connection. */
export const longestAsk = 64 * 1024;
/** Longest answer in characters; a longer one is refused by name. */
export const longestAnswer = 4 * 1024 * 1024;
/** A line longer than this is not one of ours, because frames and answers are shorter. */
const longestLine = 8 * 1024 * 1024;
const defaultTimeoutMs = 5000;

/** The unchecked arguments of an operation. */
export type ControlArgs = Readonly<Record<string, unknown>>;

/** Answers one operation. Its result is sent as JSON, an error as a code and a sentence. */
export type ControlHandler = (args: ControlArgs) => unknown;

/** Operations by name. */
export type ControlOps = Readonly<Record<string, ControlHandler>>;

/** One request: a line of JSON on the feed socket. */
export interface Ask {
  readonly ask: string | number;
  readonly op: string;
  readonly args?: ControlArgs;
}

/** The line by which a watcher says that frames may leave rows out. An older process answers that it is no request and sends whole frames. */
export const briefWatch = { watch: 'brief' } as const;

/** The answer, with the id of the request. */
export type ControlAnswer =
  | { readonly answer: string | number | null; readonly ok: true; readonly value: unknown }
  | {
      readonly answer: string | number | null;
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly where: string;
      readonly fix: string;
    };

interface AskOptions {
  /** 5 s by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Sends one request to a governed process through its feed socket and resolves to the value. Rejects with the code the process answered, or
 * with PLM_PATH_FOREIGN, PLM_CONTROL_UNREACHABLE or PLM_CONTROL_TIMEOUT.
 */
export function ask<Value = unknown>(
  socketPath: string,
  op: string,
  args: ControlArgs = {},
  options: AskOptions = {},
): Promise<Value> {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  return new Promise((resolve, reject) => {
    // Checked before anything is sent, because the arguments may hold an approver's token.
    checkSocket(socketPath);
    const socket = connect(socketPath);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      socket.destroy();
      settle();
    };
    const unreachable = (reason: string): void =>
      end(() => reject(failure('PLM_CONTROL_UNREACHABLE', { socket: socketPath, reason })));
    const timer = setTimeout(
      () => end(() => reject(failure('PLM_CONTROL_TIMEOUT', { op, ms: timeoutMs, where: socketPath }))),
      timeoutMs,
    );
    const onAbort = (): void => unreachable('the request was cancelled');
    options.signal?.addEventListener('abort', onAbort, { once: true });
    if (options.signal?.aborted === true) return onAbort();
    const lines = new LineReader(longestLine);
    socket.setEncoding('utf8');
    socket.on('error', (error) => unreachable(error.message));
    socket.on('close', () => unreachable('it closed the connection'));
    socket.on('data', (chunk: string) => {
      const found = lines.take(chunk);
      if (found === undefined) return unreachable('it sent a line without an end');
      const answer = found.map(parseAnswer).find((each) => each !== undefined);
      if (answer === undefined) return;
      if (answer.ok) end(() => resolve(answer.value as Value));
      else end(() => reject(new PlimsollError(answer.code, answer)));
    });
    socket.write(`${JSON.stringify({ ask: 1, op, args } satisfies Ask)}\n`);
  });
}

/** Splits a stream of text into lines. An unfinished line is kept up to a bound. */
export class LineReader {
  readonly #most: number;
  #parts: string[] = [];
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The lines that this chunk completes; undefined when one is too long, and from then on always. */
  take(chunk: string): readonly string[] | undefined {
    const lines = chunk.split('\n');
    const last = lines.pop() as string;
    if (lines.length > 0) {
      lines[0] = this.#parts.join('') + (lines[0] as string);
      this.#parts = [];
      this.#length = 0;
    }
    this.#length += last.length;
    if (last !== '') this.#parts.push(last);
    return this.#length > this.#most || lines.some((line) => line.length > this.#most) ? undefined : lines;
  }
}

/** An answer from a line; undefined for frames and anything else. */
export function parseAnswer(line: string): ControlAnswer | undefined {
  if (!line.startsWith('{"answer":')) return undefined;
  try {
    const value = JSON.parse(line) as ControlAnswer;
    if (value.ok === true) return value;
    return value.ok === false && typeof value.code === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
