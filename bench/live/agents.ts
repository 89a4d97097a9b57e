/**
 * Agent servers on npm packages (lru-cache, ttlcache, rxjs, generic-pool, p-limit, prom-client, opossum, AI SDK): runs, tools, histories,
 * uploads, sub-agents. They were written after the rules for all other programs stood: `npm run bench -- live agents [idle|busy] [NAME]...`.
 */
import { programOf, type Kind, type Program } from './program.ts';
import { express, fastify, head, hono, worker } from './stacks.ts';

const leaks: Readonly<Record<string, Kind>> = {
  'runs-by-id': {
    holder: /runs|#runs|RunStore/,
    body: (d) =>
      fastify(
        `class RunStore { #runs = new Map(); start(input) { const run = { id: randomUUID(), input, steps: [], state: 'running' }; this.#runs.set(run.id, run); return run; } get size() { return this.#runs.size; } }
         const store = new RunStore();`,
        `const run = store.start(request.body.text.slice(0, 40));
         for (let i = 0; i < 4; i++) { run.steps.push({ tool: 'search', args: { q: prose(40), page: i }, output: prose(${d.scale(80, 500)}) }); await later(1); }
         run.state = 'done'; return { id: run.id, open: store.size };`,
      ),
  },
  'subject-never-completed': {
    holder: /observers|subscribers|Subject|closed|_finalizers|updates/i,
    body: (d) =>
      express(
        `const { Subject } = require('rxjs'); const updates = new Subject();`,
        `const seen = { id: randomUUID(), last: null, draft: prose(${d.scale(400, 1500)}) };
         updates.subscribe((update) => { seen.last = update; });
         await later(1); res.json({ id: seen.id });`,
      ),
  },
  'limit-that-waits': {
    holder: /queue|limit|head|tail|next|enqueue/i,
    body: (d) =>
      hono(
        `const pLimit = (await import(require.resolve('p-limit'))).default; const limit = pLimit(1);
         const upstream = () => later(${d.whole(45, 70)});`,
        `const job = { text: body.text, plan: prose(${d.scale(400, 1500)}) };
         void limit(async () => { await upstream(); return job.plan.length; }); return c.json({ waiting: limit.pendingCount });`,
      ),
  },
  'labels-per-thread': {
    holder: /hashMap|registry|Counter|turns|requests/i,
    body: (d) =>
      fastify(
        `const { Counter, Registry } = require('prom-client'); const registry = new Registry();
         const turns = new Counter({ name: 'turns_total', help: 'turns', labelNames: ['thread', 'tool'], registers: [registry] });
         const tools = Array.from({ length: ${d.whole(3, 9)} }, (_, i) => 'tool' + i);`,
        `for (const tool of tools) turns.inc({ thread: randomUUID(), tool }); await later(1); return { ok: true };`,
      ),
  },
  'uploads-in-memory': {
    holder: /uploads|files|Buffer|ArrayBuffer/i,
    body: (d) =>
      express(
        `const uploads = { files: [] };`,
        `const bytes = Buffer.alloc(${d.scale(6000, 40_000)}, req.body.text); uploads.files.push({ name: randomUUID(), bytes }); await later(2); res.json({ files: uploads.files.length });`,
      ),
  },
  'sub-agents-listen-to-parent': {
    holder: /signal|AbortSignal|kEvents|listener|parent|next/i,
    body: (d) =>
      hono(
        `const planner = new AbortController();
         function spawn(task) { const state = { task, memory: prose(${d.scale(300, 1500)}) }; planner.signal.addEventListener('abort', () => { state.aborted = true; }); return state; }`,
        `const agents = [spawn(body.session), spawn(body.text)]; await later(2); return c.json({ n: agents.length });`,
      ),
  },
  'late-tool-cache': {
    holder: /byQuestion|tools|cache|Tools/i,
    minSeconds: 130,
    body: (d) =>
      fastify(
        `const begun = Date.now(); class Tools { byQuestion = {}; remember(question, found) { this.byQuestion[question] = found; } } const tools = new Tools();`,
        `const found = { rows: Array.from({ length: 12 }, () => prose(60)), note: prose(${d.scale(200, 900)}) };
         if (Date.now() - begun > ${d.whole(40, 60)}_000) tools.remember(request.body.text.slice(0, 30) + randomUUID(), found);
         await later(1); return { rows: found.rows.length };`,
      ),
  },
  'ws-like-connections': {
    holder: /connections|rooms|members/i,
    body: (d) =>
      express(
        `const rooms = new Map(Array.from({ length: 6 }, (_, i) => ['room' + i, new Set()]));
         class Connection extends EventEmitter { constructor() { super(); this.backlog = [prose(${d.scale(300, 1500)})]; } close() { this.emit('close'); } }`,
        `const room = rooms.get('room' + Math.floor(Math.random() * 6)); const connection = new Connection(); room.add(connection);
         if (Math.random() < 0.3) connection.on('close', () => room.delete(connection));
         await later(2); connection.close(); res.json({ members: room.size });`,
      ),
  },
  'stack-of-undo': {
    holder: /undo|past|history|drafts/i,
    body: (d) =>
      fastify(
        `const drafts = Array.from({ length: 12 }, (_, i) => ({ id: i, text: prose(200), past: [] }));`,
        `const draft = drafts[Math.floor(Math.random() * drafts.length)]; draft.past.push({ at: Date.now(), before: draft.text, who: randomUUID() });
         draft.text = prose(${d.scale(200, 900)}); await later(1); return { id: draft.id, steps: draft.past.length };`,
      ),
  },
  'dead-letter-worker': {
    holder: /deadLetters|letters/i,
    body: (d) =>
      worker(
        25,
        `const deadLetters = new Map(); let n = 0;`,
        `await later(2); if (++n % 2 === 0) { try { JSON.parse(job.text); } catch (error) { deadLetters.set(job.id, { job, error, seen: prose(${d.scale(200, 900)}) }); } }`,
      ),
  },
  'embeddings-by-text': {
    holder: /vectors|embeddings|index/i,
    body: (d) =>
      hono(
        `const index = { vectors: new Map() };
         const embed = (text) => { const vector = new Float32Array(${d.whole(256, 1024)}); for (let i = 0; i < vector.length; i++) vector[i] = (text.charCodeAt(i % text.length) * i) % 7; return vector; };`,
        `index.vectors.set(body.session + randomUUID(), embed(body.text)); await later(1); return c.json({ n: index.vectors.size });`,
      ),
  },
  'closures-on-a-bus': {
    holder: /hooks|afterTurn|handlers/i,
    body: (d) =>
      express(
        `const hooks = { afterTurn: [] }; const onTurn = (hook) => hooks.afterTurn.push(hook);`,
        `const turn = { id: randomUUID(), transcript: prose(${d.scale(400, 1800)}) }; onTurn(() => turn.transcript.length); await later(1); res.json({ id: turn.id });`,
      ),
  },
};

const healthyOnes: Readonly<Record<string, Omit<Kind, 'holder'>>> = {
  'runs-with-a-ttl': {
    body: (d) =>
      fastify(
        `const { TTLCache } = require('@isaacs/ttlcache'); const runs = new TTLCache({ ttl: ${d.whole(12, 35)}_000, max: 100_000 });`,
        `const id = randomUUID(); runs.set(id, { id, steps: Array.from({ length: 4 }, () => ({ output: prose(${d.scale(80, 500)}) })) }); await later(2); return { id, open: runs.size };`,
      ),
  },
  'lru-filled-late': {
    minSeconds: 110,
    body: (d) =>
      express(
        `const { LRUCache } = require('lru-cache'); const answers = new LRUCache({ max: ${d.whole(1800, 2600)} });`,
        `answers.set(randomUUID(), { text: prose(${d.scale(300, 1200)}) }); await later(1); res.json({ n: answers.size });`,
      ),
  },
  'lru-never-full': {
    body: (d) =>
      hono(
        `const { LRUCache } = require('lru-cache'); const pages = new LRUCache({ max: ${d.whole(20_000, 50_000)} });`,
        `pages.set(randomUUID(), { text: prose(${d.scale(200, 900)}) }); await later(1); return c.json({ n: pages.size });`,
      ),
  },
  'zipf-memo': {
    minSeconds: 110,
    body: (d) =>
      fastify(
        `const memo = new Map(); const most = ${d.whole(500, 1200)};`,
        `const key = Math.floor(most * Math.random() ** 2.5); if (!memo.has(key)) memo.set(key, { key, page: prose(${d.scale(400, 2000)}) }); await later(1); return { n: memo.size };`,
      ),
  },
  'backlog-of-an-outage': {
    minSeconds: 120,
    body: (d) =>
      express(
        `const begun = Date.now(); const down = () => { const at = (Date.now() - begun) / 1000; return at > ${d.whole(15, 25)} && at < ${d.whole(55, 70)}; };
         let backlog = []; setInterval(() => { if (!down()) backlog = backlog.slice(80); }, 250).unref();`,
        `backlog.push({ id: randomUUID(), text: prose(${d.scale(300, 1200)}) }); await later(1); res.json({ waiting: backlog.length });`,
      ),
  },
  'sessions-that-stay': {
    minSeconds: 110,
    load: { rampS: 60, sessions: 120, newSession: 0 },
    body: (d) =>
      fastify(
        `const sessions = new Map(); class Session { window = []; facts = new Map(); constructor(id) { this.id = id; } say(text) { this.window.push({ at: Date.now(), text }); if (this.window.length > ${d.whole(6, 14)}) this.window.shift(); } }`,
        `const { session: id, text } = request.body; let session = sessions.get(id); if (!session) sessions.set(id, (session = new Session(id)));
         session.say(prose(${d.scale(200, 800)}) + text.slice(0, 20)); await later(2); return { n: sessions.size };`,
      ),
  },
  'prompts-compiled-once': {
    body: (d) =>
      hono(
        `const prompts = new Map(); const total = ${d.whole(120, 300)};
         const compile = (n) => new Function('v', 'return ' + JSON.stringify(prose(1200)) + ' + v.session + ' + n);`,
        `const n = Math.floor(Math.random() * total); let prompt = prompts.get(n); if (!prompt) prompts.set(n, (prompt = compile(n))); await later(1); return c.json({ n: prompt(body).length });`,
      ),
  },
  'pool-that-grows-to-its-max': {
    minSeconds: 100,
    load: { rampS: 50 },
    body: (d) =>
      express(
        `const pool = require('generic-pool').createPool({ create: async () => ({ id: randomUUID(), scratch: Buffer.alloc(${d.scale(20_000, 120_000)}), notes: prose(8000) }), destroy: async () => {} }, { min: 2, max: ${d.whole(10, 30)} });`,
        `const tool = await pool.acquire(); await later(${d.whole(20, 120)}); tool.scratch[0]++; await pool.release(tool); res.json({ n: pool.size });`,
      ),
  },
  'labels-that-are-few': {
    body: (d) =>
      fastify(
        `const { Histogram, Registry } = require('prom-client'); const registry = new Registry();
         const ms = new Histogram({ name: 'turn_ms', help: 'turn', labelNames: ['route', 'code'], registers: [registry] }); const routes = ${d.whole(20, 60)};
         setInterval(() => void registry.metrics(), 5000).unref();`,
        `ms.observe({ route: 'r' + Math.floor(routes * Math.random() ** 2), code: Math.random() < 0.1 ? 500 : 200 }, Math.random() * 100); await later(1); return { ok: true };`,
      ),
  },
  'summaries-replace-turns': {
    body: (d) =>
      hono(
        `const threads = Array.from({ length: ${d.whole(30, 60)} }, () => ({ summary: '', turns: [] }));
         const summarise = (thread) => { thread.summary = (thread.summary + thread.turns.map(({ text }) => text.slice(0, 12)).join('')).slice(-2000); thread.turns = []; };`,
        `const thread = threads[Math.floor(Math.random() * threads.length)]; thread.turns.push({ at: Date.now(), text: prose(${d.scale(300, 1200)}) });
         if (thread.turns.length > ${d.whole(15, 30)}) summarise(thread); await later(1); return c.json({ n: thread.turns.length });`,
      ),
  },
  'nightly-index': {
    minSeconds: 120,
    body: (d) =>
      express(
        `let index = new Map(); const rebuild = () => { const next = new Map(); for (let i = 0; i < ${d.whole(2000, 6000)}; i++) next.set(randomUUID(), { i, text: prose(200) }); index = next; };
         rebuild(); setInterval(rebuild, ${d.whole(20, 35)}_000).unref();`,
        `await later(1); res.json({ n: index.size, text: prose(400).length });`,
      ),
  },
  'worker-with-acks': {
    body: (d) =>
      worker(
        20,
        `const unacked = new Map();`,
        `unacked.set(job.id, { job, note: prose(${d.scale(300, 1200)}) }); await later(${d.whole(500, 8000)} * Math.random()); unacked.delete(job.id);`,
      ),
  },
};

/** Every program of these kinds, by a seed. */
export function agents(seed: number): readonly Program[] {
  return Object.entries({ ...leaks, ...healthyOnes }).map(([name, kind]) =>
    programOf(name, kind, seed, head),
  );
}
