import { duration, size, whole } from '../form/quantity.ts';
import { onOff } from './adapters.ts';
import type { Leaf, ValueOf } from '../form/shape.ts';
import { list, optional, table } from '../form/shape.ts';

/** Where the id of a session is in a request: `header:x-session-id`, `cookie:sid`, `query:chat`, `path:/chat/:id` or `body:threadId`. */
export interface SessionSource {
  readonly at: 'header' | 'cookie' | 'query' | 'path' | 'body';
  readonly name: string;
}

/** Bounds of a checkpoint store in memory. */
export interface CheckpointPolicy {
  readonly keepLast: number;
  readonly mostThreads: number;
  readonly mostBytes: number;
}

/** How requests belong to sessions, and when an idle session is ended. */
export interface SessionPolicy {
  readonly from: readonly SessionSource[];
  readonly idleMs: number;
  readonly most: number;
  /** True when the policy has an idle time. Only then are idle sessions of a framework (MCP) closed. */
  readonly isIdleGiven: boolean;
  /** Most bytes that may wait for a slow client; undefined when the policy has none. */
  readonly sendQueueBytes: number | undefined;
  /** Most events that a store of an MCP server keeps in memory; undefined when the policy has none. */
  readonly mostEvents: number | undefined;
  /** Whether the ids of sessions leave the process in spans of OpenTelemetry; otherwise a hash of each does. */
  readonly exportsIds: boolean;
  /** What checkpointers in memory may keep; undefined when the policy has none. */
  readonly checkpoints: CheckpointPolicy | undefined;
}

const form = /^(header|cookie|query|path|body):([^\s:]\S*)$/;

function sourceOf(text: string): SessionSource | undefined {
  const [, at, name] = form.exec(text) ?? [];
  if (at === undefined || name === undefined) return undefined;
  if (at === 'path' && !/^\/(?:[^:]*\/)?:\w+(?:\/|$)/.test(name)) return undefined;
  return { at: at as SessionSource['at'], name: at === 'header' ? name.toLowerCase() : name };
}

const source: Leaf<SessionSource> = {
  kind: 'leaf',
  accepted:
    'a place in a request: header:NAME, cookie:NAME, query:NAME, body:FIELD, or path:/chat/:id with one part that is the id',
  example: 'header:x-session-id',
  read: (value) => (typeof value === 'string' ? sourceOf(value) : undefined),
  json: { type: 'string', pattern: form.source },
};

export const sessionDefaults: SessionPolicy = {
  from: [
    { at: 'header', name: 'mcp-session-id' },
    { at: 'header', name: 'x-session-id' },
    { at: 'header', name: 'x-conversation-id' },
    { at: 'header', name: 'x-thread-id' },
    { at: 'cookie', name: 'sid' },
    { at: 'cookie', name: 'connect.sid' },
    { at: 'query', name: 'sessionId' },
    ...[
      'sessionId',
      'session_id',
      'threadId',
      'thread_id',
      'chatId',
      'conversationId',
      'conversation_id',
    ].map((name): SessionSource => ({ at: 'body', name })),
  ],
  idleMs: 30 * 60_000,
  most: 10_000,
  isIdleGiven: false,
  sendQueueBytes: undefined,
  checkpoints: undefined,
  mostEvents: undefined,
  exportsIds: false,
};

/** The section `sessions` of a policy. */
export const sessionsSection = table('the sessions', {
  from: optional(
    list('a list of places', source),
    'Where the id of a session is in an HTTP request; the first one present counts. Default: the headers mcp-session-id, x-session-id, x-conversation-id and x-thread-id, the cookies sid and connect.sid, the query sessionId, and the fields sessionId, threadId, chatId and conversationId of a JSON body (also session_id, thread_id, conversation_id).',
  ),
  idle: optional(
    duration('30m', 1000, 7 * 86_400_000),
    'A session without a call, an open response or a running agent for this long is closed. When it is written here, idle MCP sessions are closed with it. Default 30m.',
  ),
  'send-queue': optional(
    size('16MiB', 64 * 1024),
    'Most bytes that may wait for one slow client of a response, an event stream or a WebSocket. Its connection is closed above that. Default: 16MiB in mode enforce, none otherwise.',
  ),
  events: optional(
    whole('a number of events', '1000', 1, 1_000_000),
    'Most events that each event store of an MCP server keeps in memory. The oldest are dropped first. Default: no bound.',
  ),
  checkpoints: optional(
    table('the checkpoints', {
      keep: optional(
        whole('a number of checkpoints', '1', 1, 1_000_000),
        'Newest checkpoints kept of each thread. Default 1: enough to go on, not to look back.',
      ),
      threads: optional(
        whole('a number of threads', '1000', 1, 1_000_000),
        'Most threads; the one that was written longest ago is deleted first. Default 1000.',
      ),
      bytes: optional(
        size('256MiB', 1024),
        'Most bytes of all threads; the one that was written longest ago is deleted first. Default 256MiB.',
      ),
    }),
    'Bounds what `MemorySaver` of LangGraph keeps, and to the same number threads and finished workflow runs in `InMemoryStore` of Mastra. Without this section everything stays; the bytes of checkpoints are charged to the session.',
  ),
  'export-ids': optional(
    onOff,
    'Whether `plimsoll.scope.path` in spans of OpenTelemetry has the real ids of sessions. Ids may be thread ids of your users, and spans leave the machine. Default off: a hash replaces each id.',
  ),
  most: optional(
    whole('a number of sessions', '10000', 1, 1_000_000),
    'Most sessions that are known at once. The longest idle one is dropped first. Default 10000.',
  ),
});

export function sessionPolicyOf(given: ValueOf<typeof sessionsSection> | undefined): SessionPolicy {
  const base = sessionDefaults;
  return {
    from: given?.from ?? base.from,
    idleMs: given?.idle ?? base.idleMs,
    most: given?.most ?? base.most,
    isIdleGiven: given?.idle !== undefined,
    sendQueueBytes: given?.['send-queue'],
    mostEvents: given?.events,
    exportsIds: given?.['export-ids'] ?? base.exportsIds,
    checkpoints: checkpointsOf(given?.checkpoints),
  };
}

function checkpointsOf(
  given: { readonly keep?: number; readonly threads?: number; readonly bytes?: number } | undefined,
): CheckpointPolicy | undefined {
  if (given === undefined) return undefined;
  const { keep = 1, threads = 1000, bytes = 256 * 1024 ** 2 } = given;
  return { keepLast: keep, mostThreads: threads, mostBytes: bytes };
}
