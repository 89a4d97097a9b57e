/** Programs that leak in ways that hold no plain Map or list, or that begin, pause and speed up differently. */
import type { Kind } from './program.ts';

export const otherLeaks: Readonly<Record<string, Kind>> = {
  'linked-list': {
    holder: /head|journal/,
    body: (d) => `
      const journal = { head: null, size: 0 };
      serve(async (body) => {
        journal.head = { next: journal.head, entry: { at: Date.now(), session: body.session, text: text(${d.scale(300, 2000)}) } };
        journal.size++;
        return { text: await answer(body.text) };
      });`,
  },
  'growing-string': {
    holder: /transcript|log/i,
    body: (d) => `
      const audit = { log: '' };
      serve(async (body) => {
        audit.log += body.session + ' ' + text(${d.scale(500, 3000)}) + '\\n';
        return { text: await answer(body.text), size: audit.log.length };
      });`,
  },
  'per-tenant-lists': {
    holder: /tenants|events/,
    body: (d) => `
      const tenants = new Map(['red', 'green', 'blue'].map((name) => [name, { name, events: [] }]));
      const names = [...tenants.keys()];
      serve(async (body) => {
        tenants.get(names[Math.floor(random() * 3)]).events.push({ session: body.session, payload: message(${d.scale(300, 2000)}) });
        return { text: await answer(body.text) };
      });`,
  },
  'middleware-per-request': {
    holder: /layers|router|stack/i,
    body: (d) => `
      class Router {
        layers = [];
        use(layer) { this.layers.push(layer); }
        run(context) { for (const layer of this.layers.slice(-3)) layer(context); }
      }
      const router = new Router();
      serve(async (body) => {
        const trace = { id: randomUUID(), notes: text(${d.scale(400, 2500)}) };
        router.use((context) => { context.trace = trace.id; });
        const context = {};
        router.run(context);
        return { text: await answer(body.text), ...context };
      });`,
  },
  'error-causes': {
    holder: /lastError|cause/i,
    body: (d) => `
      const health = { lastError: undefined };
      serve(async (body) => {
        if (random() < 0.6) health.lastError = new Error('model failed: ' + text(${d.scale(300, 1500)}), { cause: health.lastError });
        return { text: await answer(body.text) };
      });`,
  },
  'unread-stream': {
    holder: /exporter|stream|buffer|PassThrough/i,
    body: (d) => `
      import { PassThrough } from 'node:stream';
      const exporter = new PassThrough({ objectMode: true });
      serve(async (body) => {
        exporter.write({ span: randomUUID(), attributes: message(${d.scale(300, 2000)}) });
        return { text: await answer(body.text) };
      });`,
  },
  'vectors-kept': {
    holder: /index|vectors/,
    body: (d) => `
      const index = { vectors: [] };
      serve(async (body) => {
        index.vectors.push({ id: randomUUID(), values: Float64Array.from({ length: ${d.scale(400, 2500)} }, () => random()) });
        return { text: await answer(body.text), size: index.vectors.length };
      });`,
  },
  'buckets-by-second': {
    holder: /buckets|stats/,
    body: (d) => `
      const stats = { buckets: {} };
      serve(async (body) => {
        const second = Math.floor(Date.now() / 1000);
        const bucket = (stats.buckets[second] ??= {});
        bucket[randomUUID()] = { session: body.session, detail: text(${d.scale(300, 1500)}) };
        return { text: await answer(body.text) };
      });`,
  },
  'immutable-list': {
    holder: /state|messages/,
    load: { rate: 20 },
    body: (d) => `
      let state = { messages: [] };
      serve(async (body) => {
        state = { ...state, messages: [...state.messages, message(${d.scale(400, 2500)})] };
        return { text: await answer(body.text), turns: state.messages.length };
      });`,
  },
  'leak-on-errors-only': {
    holder: /retries/,
    minSeconds: 140,
    body: (d) => `
      const retries = new Map();
      const recent = [];
      serve(async (body) => {
        recent.push(message(1500));
        if (recent.length > 300) recent.shift();
        if (random() < 0.12) retries.set(randomUUID(), { attempt: 1, body, plan: text(${d.scale(1500, 5000)}) });
        return { text: await answer(body.text) };
      });`,
  },
  'leak-that-speeds-up': {
    holder: /graph|edges/,
    minSeconds: 110,
    body: (d) => `
      const graph = { edges: new Map() };
      serve(async (body) => {
        const many = 1 + Math.floor(seconds() / ${d.whole(12, 25)});
        for (let i = 0; i < many; i++) graph.edges.set(randomUUID(), { from: body.session, weight: random(), note: text(${d.scale(100, 500)}) });
        return { text: await answer(body.text) };
      });`,
  },
  'two-servers': {
    holder: /pending|jobs/,
    body: (d) => `
      const admin = http.createServer((request, response) => response.end('ok')).listen(0, '127.0.0.1');
      const worker = { pending: new Set() };
      serve(async (body) => {
        const job = { id: randomUUID(), input: message(${d.scale(500, 2500)}) };
        worker.pending.add(job);
        const out = await answer(body.text);
        if (random() < 0.5) worker.pending.delete(job);
        return { text: out };
      });`,
  },
  'buffer-slices': {
    holder: /headers|uploads/,
    body: (d) => `
      const uploads = { headers: new Map() };
      serve(async (body) => {
        const upload = Buffer.alloc(${d.scale(8000, 60_000)}, body.text || 'x');
        uploads.headers.set(randomUUID(), upload.subarray(0, 32));
        return { text: await answer(body.text), size: upload.length };
      });`,
  },
  'class-statics': {
    holder: /instances|Conversation/,
    body: (d) => `
      class Conversation {
        static #instances = new Map();
        #turns = [];
        static start(id) { const one = new Conversation(); Conversation.#instances.set(id, one); return one; }
        add(turn) { this.#turns.push(turn); }
      }
      serve(async (body) => {
        Conversation.start(randomUUID()).add(message(${d.scale(500, 2500)}));
        return { text: await answer(body.text) };
      });`,
  },
};
