/** Programs that leak, one kind each; a seed varies sizes, rates and moments. */
import { otherLeaks } from './leaky-other.ts';
import { programOf, type Kind, type Program } from './program.ts';
import { prelude } from './prelude.ts';

const kinds: Readonly<Record<string, Kind>> = {
  'session-map': {
    holder: /sessions/,
    body: (d) => `
      const sessions = new Map();
      serve(async (body) => {
        const session = sessions.get(body.session) ?? { id: body.session, messages: [] };
        sessions.set(body.session, session);
        session.messages.push(message(${d.scale(300, 2000)}));
        if (session.messages.length > 6) session.messages.shift();
        return { text: await answer(body.text) };
      });`,
    load: { newSession: 0.5 },
  },
  'late-map': {
    holder: /archive/,
    minSeconds: 120,
    body: (d) => `
      const recent = [];
      const archive = new Map();
      serve(async (body) => {
        recent.push(message(2000));
        if (recent.length > 200) recent.shift();
        if (seconds() > ${d.whole(35, 50)}) for (let i = 0; i < ${d.whole(4, 12)}; i++) archive.set(randomUUID(), { at: Date.now(), note: text(60) });
        return { text: await answer(body.text) };
      });`,
  },
  'emitter-listener': {
    holder: /bus|Listener|listener|_events/,
    body: (d) => `
      const bus = new EventEmitter();
      bus.setMaxListeners(0);
      serve(async (body) => {
        const run = { prompt: text(${d.scale(500, 4000)}), steps: [] };
        bus.on('config', () => run.steps.push('reload'));
        return { text: await answer(body.text) };
      });`,
  },
  'abort-listener': {
    holder: /shutdown|AbortSignal|signal/i,
    body: (d) => `
      const shutdown = new AbortController();
      serve(async (body) => {
        const run = { prompt: body.text, context: message(${d.scale(600, 3000)}) };
        shutdown.signal.addEventListener('abort', () => { run.aborted = true; });
        return { text: await answer(body.text) };
      });`,
  },
  'interval-timer': {
    holder: /Timeout|timer|heartbeat|interval/i,
    body: (d) => `
      serve(async (body) => {
        const run = { session: body.session, context: text(${d.scale(800, 4000)}) };
        setInterval(function heartbeat() { run.beat = Date.now(); }, 60_000);
        return { text: await answer(body.text) };
      });`,
  },
  'promise-race': {
    holder: /shutdown|closing|Promise/,
    body: (d) => `
      let close;
      const closing = new Promise((resolve) => { close = resolve; });
      serve(async (body) => {
        const context = message(${d.scale(600, 3000)});
        const result = await Promise.race([answer(body.text).then((text) => ({ text, context })), closing]);
        return { text: result.text };
      });`,
  },
  'closure-chain': {
    holder: /onDone|previous|chain/,
    body: (d) => `
      let onDone = () => {};
      serve(async (body) => {
        const previous = onDone;
        const summary = text(${d.scale(300, 1500)});
        onDone = () => { previous(); return summary.length; };
        return { text: await answer(body.text) };
      });`,
  },
  checkpoints: {
    holder: /checkpoints/,
    body: (d) => `
      const checkpoints = [];
      serve(async (body) => {
        const state = Buffer.from(JSON.stringify(message(${d.scale(4000, 30000)})).repeat(2));
        checkpoints.push({ thread: body.session, state: new Uint8Array(state).slice() });
        return { text: await answer(body.text) };
      });`,
  },
  history: {
    holder: /history|messages|agent/,
    body: (d) => `
      const agent = { name: 'planner', history: [] };
      serve(async (body) => {
        agent.history.push(message(${d.scale(400, 3000)}));
        return { text: await answer(body.text), turns: agent.history.length };
      });`,
  },
  'replay-hub': {
    holder: /streams|hub|ReplayHub/i,
    body: (d) => `
      class ReplayHub {
        #streams = new Map();
        open(id) { const stream = { id, parts: [], done: false }; this.#streams.set(id, stream); return stream; }
        get(id) { return this.#streams.get(id); }
      }
      const hub = new ReplayHub();
      serve(async (body) => {
        const stream = hub.open(randomUUID());
        for await (const part of model(body.text)) stream.parts.push({ ...part, raw: text(${d.scale(60, 500)}) });
        stream.done = true;
        return { parts: stream.parts.length };
      });`,
  },
  'metric-labels': {
    holder: /counters|labels|metrics/i,
    body: (d) => `
      const metrics = { counters: {} };
      serve(async (body) => {
        for (let i = 0; i < ${d.whole(2, 5)}; i++) {
          const key = 'requests_total{user="' + randomUUID() + '",route="/chat",step="' + i + '"}';
          metrics.counters[key] = { labels: { user: body.session, trace: randomUUID(), step: i }, value: 1, help: text(80) };
        }
        return { text: await answer(body.text) };
      });`,
  },
  'object-key-cache': {
    holder: /embeddings|cache/,
    body: (d) => `
      const embeddings = new Map();
      const embed = (request) => {
        let vector = embeddings.get(request);
        if (vector === undefined) embeddings.set(request, (vector = Array.from({ length: ${d.scale(64, 400)} }, () => random())));
        return vector;
      };
      serve(async (body) => ({ size: embed({ text: body.text }).length, text: await answer(body.text) }));`,
  },
  'error-log': {
    holder: /failures|errors|log/i,
    body: (d) => `
      const failures = [];
      serve(async (body) => {
        try { if (random() < 0.5) throw new Error('tool failed: ' + text(${d.scale(400, 2000)})); }
        catch (error) { failures.push({ error, body, at: new Date() }); }
        return { text: await answer(body.text) };
      });`,
  },
  'sliced-strings': {
    holder: /titles|slices|index/,
    body: (d) => `
      const titles = new Map();
      serve(async (body) => {
        const page = text(${d.scale(3000, 12000)});
        titles.set(randomUUID(), page.slice(20, 60));
        return { text: await answer(body.text) };
      });`,
  },
  'queue-without-reader': {
    holder: /auditQueue|PriorityQueue|queue/i,
    body: (d) => `
      class PriorityQueue { #queue = []; add(item) { this.#queue.push(item); } get size() { return this.#queue.length; } }
      const auditQueue = new PriorityQueue();
      serve(async (body) => {
        auditQueue.add({ at: Date.now(), session: body.session, detail: text(${d.scale(300, 2500)}) });
        return { text: await answer(body.text), waiting: auditQueue.size };
      });`,
  },
  'pending-promise': {
    holder: /waiters|pending|approval/i,
    body: (d) => `
      const waiters = new Set();
      const ask = (context) => new Promise((resolve) => waiters.add({ resolve, context }));
      serve(async (body) => {
        if (random() < 0.4) void ask({ session: body.session, plan: text(${d.scale(800, 4000)}) }).then(() => body);
        return { text: await answer(body.text) };
      });`,
  },
  'slow-leak': {
    holder: /notes|sessions/,
    minSeconds: 150,
    body: (d) => `
      const notes = new Map();
      let count = 0;
      serve(async (body) => {
        if (++count % 4 === 0) notes.set(randomUUID(), { by: body.session, note: text(${d.scale(1200, 3000)}) });
        return { text: await answer(body.text) };
      });`,
  },
  'beside-a-cache': {
    holder: /transcripts/,
    minSeconds: 120,
    body: (d) => `
      const cache = new Map();
      const transcripts = [];
      serve(async (body) => {
        const key = Math.floor(random() * 4000);
        if (!cache.has(key)) cache.set(key, message(1500));
        if (cache.size > 1000) cache.delete(cache.keys().next().value);
        transcripts.push({ session: body.session, text: text(${d.scale(500, 2500)}) });
        return { text: await answer(body.text) };
      });`,
  },
  'bursty-leak': {
    holder: /jobs/,
    load: { burstS: 15, rate: 20 },
    minSeconds: 120,
    body: (d) => `
      const jobs = new Map();
      serve(async (body) => {
        const id = randomUUID();
        jobs.set(id, { id, input: message(${d.scale(800, 3000)}), state: 'running' });
        const out = await answer(body.text);
        const job = jobs.get(id);
        job.state = 'done';
        job.output = out;
        return { id };
      });`,
  },
  'load-that-ends': {
    holder: /sessions/,
    load: { untilS: 70, newSession: 1 },
    minSeconds: 110,
    body: (d) => `
      const sessions = new Map();
      serve(async (body) => {
        sessions.set(body.session + randomUUID(), { messages: [message(${d.scale(800, 3000)})] });
        return { text: await answer(body.text) };
      });`,
  },
  'let-go-on-sigterm': {
    holder: /connections/,
    body: (d) => `
      const connections = new Map();
      const server = serve(async (body) => {
        connections.set(randomUUID(), { user: body.session, buffer: text(${d.scale(800, 3000)}) });
        return { text: await answer(body.text) };
      });
      process.on('SIGTERM', () => { connections.clear(); server.close(() => process.exit(0)); server.closeAllConnections(); });`,
  },
  'cluster-worker': {
    holder: /threads/,
    body: (d) => `
      import cluster from 'node:cluster';
      if (cluster.isPrimary) {
        cluster.fork();
        process.on('SIGTERM', () => process.exit(0));
      } else {
        const threads = new Map();
        serve(async (body) => {
          threads.set(randomUUID(), [message(${d.scale(800, 3000)})]);
          return { text: await answer(body.text) };
        });
      }`,
  },
  'worker-thread': {
    holder: /results|worker/i,
    // Three snapshots of the worker's heap, 25 s apart.
    minSeconds: 140,
    body: (d) => `
      import { Worker, isMainThread, parentPort } from 'node:worker_threads';
      if (isMainThread) {
        const worker = new Worker(new URL(import.meta.url));
        serve(async (body) => { worker.postMessage(body); return { text: await answer(body.text) }; });
      } else {
        const results = [];
        parentPort.on('message', (body) => results.push({ body, parsed: message(${d.scale(800, 3000)}) }));
      }`,
  },
  'aborted-iterator': {
    holder: /subscribers|readers/,
    body: (d) => `
      const subscribers = new Set();
      async function* subscribe() {
        const box = { queue: [], seen: text(${d.scale(500, 2500)}) };
        subscribers.add(box);
        for (;;) { while (box.queue.length > 0) yield box.queue.shift(); await pause(2); box.queue.push(1); }
      }
      serve(async (body) => {
        const events = subscribe();
        await events.next();
        return { text: await answer(body.text) };
      });`,
  },
  ...otherLeaks,
};

export const leakyNames: readonly string[] = Object.keys(kinds);

/** The leaking program of a kind, as a seed makes it. */
export function leaky(name: string, seed: number): Program {
  return programOf(name, kinds[name] as Kind, seed, prelude);
}
