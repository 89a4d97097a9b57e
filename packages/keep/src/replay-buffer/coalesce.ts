/** Which neighbouring chunks may become one, and how. Joining has to be lossless. Only the boundaries between chunks may go. */
export interface Coalescer<T> {
  /** True when `next` can be joined to what starts with `first`. */
  joinable(first: T, next: T): boolean;
  /** One chunk that says what the run says; a run has two chunks or more. */
  join(run: readonly T[]): T;
}

type Fields = Record<string, unknown>;

/**
 * Joins the text deltas of agent streams: plain objects whose `type` ends in "delta" and that differ in nothing but their text. Knows the
 * shapes of AI SDK (`text`, `delta`, `inputTextDelta`), Mastra (`payload.text`) and every other that keeps its text in such a field.
 */
export const textDeltas: Coalescer<unknown> = {
  joinable(first, next) {
    const field = textField(first);
    if (field === undefined || !isPlain(next)) return false;
    if (field !== 'payload') return typeof next[field] === 'string' && sameBut(first as Fields, next, field);
    const inner = textField((first as Fields)['payload'], true) as string;
    const payload = next['payload'];
    return (
      isPlain(payload) &&
      typeof payload[inner] === 'string' &&
      sameBut(first as Fields, next, field) &&
      sameBut((first as Fields)['payload'] as Fields, payload, inner)
    );
  },
  join(run) {
    const first = run[0] as Fields;
    const field = textField(first) as string;
    if (field !== 'payload')
      return { ...first, [field]: run.map((chunk) => (chunk as Fields)[field]).join('') };
    const payload = first['payload'] as Fields;
    const inner = textField(payload, true) as string;
    const text = run.map((chunk) => ((chunk as Fields)['payload'] as Fields)[inner]).join('');
    return { ...first, payload: { ...payload, [inner]: text } };
  },
};

/**
 * Joins text deltas, and bare strings that are pieces of text. A string that is a record of its own stays as it is, because its reader may
 * parse each chunk: JSON in braces or brackets, and lines that end with a line break.
 */
export const deltasAndPieces: Coalescer<unknown> = {
  joinable: (first, next) =>
    typeof first === 'string'
      ? typeof next === 'string' && !isRecord(first) && !isRecord(next)
      : textDeltas.joinable(first, next),
  join: (run) => (typeof run[0] === 'string' ? run.join('') : textDeltas.join(run)),
};

function isRecord(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  if (text.length < 3) return false;
  if (last === 0x0a) return true;
  const first = text.charCodeAt(0);
  return (first === 0x7b && last === 0x7d) || (first === 0x5b && last === 0x5d);
}

/** Joins text deltas and all bare strings, for streams of text whose boundaries mean nothing. */
export const allText: Coalescer<unknown> = {
  joinable: (first, next) =>
    typeof first === 'string' ? typeof next === 'string' : textDeltas.joinable(first, next),
  join: (run) => (typeof run[0] === 'string' ? run.join('') : textDeltas.join(run)),
};

const textFields = ['text', 'delta', 'textDelta', 'inputTextDelta', 'argsTextDelta'];

/** The field that holds the text of a delta; "payload" when it is one level down. */
export function textField(chunk: unknown, inside = false): string | undefined {
  if (!isPlain(chunk)) return undefined;
  if (!inside && !(typeof chunk['type'] === 'string' && chunk['type'].endsWith('delta'))) return undefined;
  for (const field of textFields) if (typeof chunk[field] === 'string') return field;
  return !inside && textField(chunk['payload'], true) !== undefined ? 'payload' : undefined;
}

function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** True when two objects have the same fields with the same values, apart from one. */
function sameBut(first: Fields, next: Fields, field: string): boolean {
  let count = 0;
  for (const key in first) {
    count++;
    if (key !== field && (first[key] !== next[key] || !(key in next))) return false;
  }
  for (const _ in next) count--;
  return count === 0;
}
