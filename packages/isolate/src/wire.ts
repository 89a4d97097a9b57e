/** Messages between a caller's process and the process of its tasks. They are copied by structured clone. */

/** One step of a stream between the processes. `id` consists of the task's number and the stream's key. */
export type StreamMessage =
  | { readonly kind: 'pull'; readonly id: string }
  | { readonly kind: 'chunk'; readonly id: string; readonly value: unknown }
  | { readonly kind: 'end'; readonly id: string }
  | { readonly kind: 'fail'; readonly id: string; readonly error: SentError }
  | { readonly kind: 'cancel'; readonly id: string };

export type ToTask =
  | StreamMessage
  /** `streams` are the keys of the input whose values are streams; "" is the input itself. */
  | {
      readonly kind: 'run';
      readonly task: number;
      readonly input: unknown;
      readonly streams: readonly string[];
    }
  | { readonly kind: 'collect' };

export type FromTask =
  | StreamMessage
  | { readonly kind: 'ready'; readonly used: number }
  | { readonly kind: 'unusable'; readonly why: string; readonly error: SentError | undefined }
  | { readonly kind: 'result'; readonly task: number; readonly value: unknown; readonly used: number }
  /** The result is a stream; a `result` follows when it is over. */
  | { readonly kind: 'streaming'; readonly task: number }
  | {
      readonly kind: 'error';
      readonly task: number;
      readonly error: SentError;
      readonly used: number;
      readonly isNotCloneable?: true;
    }
  | { readonly kind: 'floor'; readonly used: number };

/** An error as sent between the processes. Structured clone alone would drop the name of a subclass and the code. */
interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | number | undefined;
}

export function sentError(thrown: unknown): SentError {
  if (!(thrown instanceof Error))
    return { name: 'Error', message: `thrown: ${describe(thrown)}`, stack: undefined, code: undefined };
  const { name, message, stack } = thrown;
  const { code } = thrown as { code?: unknown };
  return {
    name,
    message,
    stack: typeof stack === 'string' ? stack : undefined,
    code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
  };
}

/** The error in the caller's process: same name, message, code and the stack of the task. */
export function receivedError(sent: SentError): Error {
  const error = new Error(sent.message);
  error.name = sent.name;
  if (sent.stack !== undefined) error.stack = sent.stack;
  if (sent.code !== undefined) Object.assign(error, { code: sent.code });
  return error;
}

function describe(value: unknown): string {
  try {
    return String(value).slice(0, 1000);
  } catch {
    return typeof value;
  }
}
