/** Builds the heap of a simulated agent server and writes its snapshot: `node generate.ts FILE SESSIONS`. */
import { EventEmitter } from 'node:events';
import { writeHeapSnapshot } from 'node:v8';

const [file, sessionText] = process.argv.slice(2);
if (file === undefined || sessionText === undefined) throw new Error('usage: generate.ts FILE SESSIONS');
const sessionCount = Number(sessionText);

let seed = 0x2545f491;
function random(below: number): number {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) % below;
}

const words =
  'plan search read write call tool answer check merge split retry token model stream agent user'.split(' ');
function sentence(length: number): string {
  const parts: string[] = [];
  for (let i = 0; i < length; i++) parts.push(`${words[random(words.length)]}${random(100_000)}`);
  return parts.join(' ');
}

const tags = words.map((word) => [word, 'agent']);

class Message {
  readonly role: string;
  readonly content: string;
  readonly title: string;
  readonly at: number;
  readonly usage: { prompt: number; completion: number };
  readonly parent: Message | undefined;
  readonly tags: readonly string[];
  constructor(role: string, content: string, parent: Message | undefined) {
    this.role = role;
    this.parent = parent;
    this.tags = tags[random(tags.length)] as readonly string[];
    this.content = content;
    this.title = content.slice(3, 40);
    this.at = 1.7e12 + random(1e9) + 0.5;
    this.usage = { prompt: random(4000) + 0.5, completion: random(900) + 0.5 };
  }
}

class ToolCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
  output: string;
  constructor(name: string) {
    this.name = name;
    this.input = {
      query: sentence(3),
      limit: random(50),
      filters: [random(9), random(9)],
      nested: { deep: true },
    };
    this.output = '';
    for (let i = 0; i < 2; i++) this.output += `${name}:${random(1e6)};`;
  }
}

class ConversationHistory {
  readonly byId = new Map<string, Message>();
  readonly order: string[] = [];
  add(message: Message): void {
    const id = `msg-${this.order.length}-${random(1e9)}`;
    this.byId.set(id, message);
    this.order.push(id);
  }
}

class Session extends EventEmitter {
  readonly id: string;
  readonly history = new ConversationHistory();
  readonly calls: ToolCall[] = [];
  readonly scratch = new Set<number | string>();
  readonly embedding = new Float32Array(32);
  readonly attachment = Buffer.alloc(300);
  closed = false;
  pending: Promise<unknown> | undefined;
  constructor(id: string, server: AgentServer) {
    super();
    this.id = id;
    let last: Message | undefined;
    for (let i = 0; i < 24; i++) {
      last = new Message(i % 2 === 0 ? 'user' : 'assistant', sentence(14), last);
      this.history.add(last);
    }
    for (let i = 0; i < 12; i++) this.calls.push(new ToolCall(words[random(words.length)] as string));
    for (let i = 0; i < 8; i++) this.scratch.add(`note-${random(1e9)}`);
    this.on('message', (text: string) => void server.metrics.push(text.length + this.calls.length));
    this.on('end', () => (this.closed = true));
    this.pending = new Promise((resolve) => this.once('end', resolve)).then(() => this.id);
    server.meta.set(this, {
      model: `model-${random(5)}`,
      trace: { id: random(1e9) + 0.5, spans: [random(10), id] },
    });
    server.index.push(new WeakRef(this));
    server.registry.sessions.set(id, this);
    server.finalizers.register(this, id);
  }
}

class SessionRegistry {
  readonly sessions = new Map<string, Session>();
}

class StreamReplayBuffer {
  readonly chunks: { seq: number; delta: string; meta: { at: number } }[] = [];
}

class AgentServer {
  readonly registry = new SessionRegistry();
  readonly replay = new StreamReplayBuffer();
  readonly meta = new WeakMap<Session, object>();
  readonly index: WeakRef<Session>[] = [];
  readonly metrics: number[] = [];
  readonly finalizers = new FinalizationRegistry<string>(() => {});
}

const server = new AgentServer();
(globalThis as Record<string, unknown>)['__server'] = server;
for (let i = 0; i < sessionCount; i++) {
  const session = new Session(`sess-${i}`, server);
  for (let k = 0; k < 30; k++) {
    server.replay.chunks.push({ seq: i * 30 + k, delta: `d${random(1e9)}`, meta: { at: random(1e9) + 0.5 } });
  }
  if (i % 10 !== 0) session.closed = true;
}
// A fresh task: a WeakRef made in the same job would pin its target in the snapshot.
setTimeout(() => {
  writeHeapSnapshot(file);
  process.exit(0);
}, 50);
