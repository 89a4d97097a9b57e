/**
 * Services of other trades than the other sets: tries, reactive effects, containers of dependencies, event stores, native streams, ports of
 * threads, late code. They were written after the rules for all other programs stood, and nothing was changed for them before their first
 * score: `npm run bench -- live services [idle|busy] [NAME]...`.
 */
import { programOf, type Kind, type Program } from './program.ts';
import { express, fastify, head, hono, worker } from './stacks.ts';

const leaks: Readonly<Record<string, Kind>> = {
  'trie-of-questions': {
    holder: /trie|root|next|children/i,
    body: (d) =>
      fastify(
        `class Node { next = {}; hits = 0; } const trie = { root: new Node() };
         const learn = (words, note) => { let at = trie.root; for (const word of words) at = at.next[word] ??= new Node(); at.hits++; at.note = note; };`,
        `learn([request.body.session, prose(8), prose(8)], prose(${d.scale(300, 1500)})); await later(1); return { ok: true };`,
      ),
  },
  'effects-never-disposed': {
    holder: /effects|subscribers|signal|settings/i,
    body: (d) =>
      express(
        `class Signal { #value; effects = new Set(); constructor(value) { this.#value = value; } read(effect) { this.effects.add(effect); return this.#value; } }
         const settings = new Signal({ model: 'small' });`,
        `const view = { id: randomUUID(), draft: prose(${d.scale(300, 1500)}) }; const effect = () => { view.model = settings.read(effect).model; }; effect();
         await later(1); res.json({ id: view.id });`,
      ),
  },
  'scoped-providers': {
    holder: /scoped|Container|providers|instances/i,
    body: (d) =>
      hono(
        `class Container { #scoped = new Map(); resolve(scope, make) { let all = this.#scoped.get(scope); if (!all) this.#scoped.set(scope, (all = new Map())); let made = all.get(make.name); if (!made) all.set(make.name, (made = make())); return made; } }
         const container = new Container();
         function Prompter() { return { system: prose(${d.scale(200, 900)}), turns: [] }; } function Toolbox() { return { tools: ['search', 'read'], cache: new Map() }; }`,
        `const scope = Symbol(body.session); const prompter = container.resolve(scope, Prompter); container.resolve(scope, Toolbox); prompter.turns.push(body.text.slice(0, 30)); await later(1); return c.json({ n: prompter.turns.length });`,
      ),
  },
  'event-store': {
    holder: /EventStore|events|journal|log/i,
    body: (d) =>
      fastify(
        `class EventStore { #pages = [[]]; append(event) { const page = this.#pages.at(-1); page.push(event); if (page.length === 256) this.#pages.push([]); } get pages() { return this.#pages.length; } }
         const events = new EventStore();`,
        `for (const type of ['asked', 'planned', 'answered']) events.append({ type, id: randomUUID(), at: new Date(), data: { session: request.body.session, text: prose(${d.scale(100, 500)}) } });
         await later(1); return { pages: events.pages };`,
      ),
  },
  'gzip-per-client': {
    holder: /gzips|Gzip|streams|zlib|compress/i,
    body: (d) =>
      express(
        `const zlib = require('node:zlib'); const streams = new Map();`,
        `if (Math.random() < ${(d.whole(5, 12) / 100).toFixed(2)}) { const gzip = zlib.createGzip(); gzip.write(prose(500)); gzip.resume(); streams.set(randomUUID(), gzip); } await later(1); res.json({ n: streams.size });`,
      ),
  },
  'agent-per-tenant': {
    holder: /agents|clients|Agent|upstreams/i,
    body: (d) =>
      hono(
        `const { Agent } = require('node:http'); const upstreams = {};
         const upstream = (tenant) => (upstreams[tenant] ??= { agent: new Agent({ keepAlive: true, maxSockets: 4 }), headers: new Headers({ authorization: prose(${d.scale(100, 500)}) }), seen: [] });`,
        `const { seen } = upstream(body.session + prose(6)); seen.push(Date.now()); await later(1); return c.json({ n: seen.length });`,
      ),
  },
  'instances-of-class': {
    holder: /all|instances|Conversation/i,
    body: (d) =>
      express(
        `class Conversation { static all = []; constructor(session) { this.session = session; this.opened = new Date(); this.turns = [prose(${d.scale(300, 1500)})]; Conversation.all.push(this); } }`,
        `const conversation = new Conversation(req.body.session); await later(1); res.json({ session: conversation.session });`,
      ),
  },
  'ports-left-open': {
    holder: /MessagePort|ports|channels|port1/i,
    body: (d) =>
      fastify(
        `const { MessageChannel } = require('node:worker_threads'); const ports = [];`,
        `if (Math.random() < ${(d.whole(30, 60) / 100).toFixed(2)}) { const { port1, port2 } = new MessageChannel(); const box = { draft: prose(${d.scale(600, 2500)}) }; port1.on('message', () => { box.read = true; }); port1.unref(); ports.push(port2); }
         await later(1); return { n: ports.length };`,
      ),
  },
  'weak-map-on-the-app': {
    holder: /notes|WeakMap|perApp|state/i,
    body: (d) =>
      express(
        `const perApp = new WeakMap([[app, { notes: [] }]]);`,
        `perApp.get(req.app).notes.push({ session: req.body.session, note: prose(${d.scale(300, 1500)}) }); await later(1); res.json({ n: perApp.get(req.app).notes.length });`,
      ),
  },
  'acks-of-a-thread': {
    holder: /waiting|tasks|callbacks/i,
    body: (d) =>
      fastify(
        `const { Worker } = require('node:worker_threads'); const waiting = new Map();
         const thread = new Worker("const { parentPort } = require('node:worker_threads'); parentPort.on('message', ({ id }) => { if (Math.random() < 0.5) parentPort.postMessage({ id }); });", { eval: true });
         thread.on('message', ({ id }) => { waiting.get(id)?.resolve(); waiting.delete(id); });
         const ask = (input) => new Promise((resolve) => { const id = randomUUID(); waiting.set(id, { resolve, input, asked: Date.now(), plan: prose(${d.scale(300, 1500)}) }); thread.postMessage({ id }); });`,
        `await Promise.race([ask(request.body), later(25)]); return { n: waiting.size };`,
      ),
  },
  'threads-that-only-grow': {
    holder: /threads|turns|messages|conversations/i,
    minSeconds: 100,
    load: { sessions: 25, newSession: 0 },
    body: (d) =>
      hono(
        `const threads = new Map(); const thread = (id) => { let found = threads.get(id); if (!found) threads.set(id, (found = { id, messages: [{ role: 'system', content: prose(2000) }] })); return found; };`,
        `const { messages } = thread(body.session); messages.push({ role: 'user', content: body.text.slice(0, 100) }, { role: 'assistant', content: prose(${d.scale(300, 1500)}) }); await later(2); return c.json({ n: messages.length });`,
      ),
  },
  'listeners-on-process': {
    holder: /process|_events|listener|unhandledRejection|warning/i,
    body: (d) =>
      express(
        `process.setMaxListeners(0);`,
        `const run = { id: randomUUID(), scratch: prose(${d.scale(400, 1500)}) }; process.on('warning', (warning) => { run.warned = warning.name; }); await later(1); res.json({ id: run.id });`,
      ),
  },
  'late-listener-worker': {
    holder: /results|#results|Scheduler|done/i,
    minSeconds: 130,
    body: (d) =>
      worker(
        22,
        `const begun = Date.now(); class Scheduler { #results = []; done(job, output) { this.#results.push({ job, output }); } } const scheduler = new Scheduler(); const recent = [];`,
        `await later(2); const output = prose(${d.scale(400, 1600)}); recent.push(output); if (recent.length > 300) recent.shift(); if (Date.now() - begun > ${d.whole(40, 60)}_000) scheduler.done(job, output);`,
      ),
  },
  'buffers-in-flight': {
    holder: /chunks|parts|Upload|uploads|Buffer/i,
    body: (d) =>
      hono(
        `class Upload { chunks = []; add(chunk) { this.chunks.push(chunk); } } const open = new Map();`,
        `const id = body.session + Math.floor(Math.random() * 1e9); const upload = new Upload(); for (let i = 0; i < 4; i++) upload.add(new Uint8Array(${d.scale(1500, 9000)}).fill(i)); open.set(id, upload);
         await later(2); if (Math.random() < 0.6) open.delete(id); return c.json({ n: open.size });`,
      ),
  },
};

const healthyOnes: Readonly<Record<string, Omit<Kind, 'holder'>>> = {
  'trie-of-words': {
    minSeconds: 110,
    body: (d) =>
      fastify(
        `class Node { next = {}; hits = 0; } const root = new Node(); const most = ${d.whole(900, 2500)};
         const learn = (n) => { let at = root; for (const part of ['w' + (n % 40), 'x' + (n % 7), 'n' + n]) at = at.next[part] ??= new Node(); at.hits++; at.note ??= prose(${d.scale(200, 800)}); };`,
        `for (let i = 0; i < 3; i++) learn(Math.floor(most * Math.random() ** 1.5)); await later(1); return { ok: true };`,
      ),
  },
  'effects-disposed': {
    body: (d) =>
      express(
        `class Signal { effects = new Set(); read(effect) { this.effects.add(effect); return 'small'; } } const settings = new Signal();`,
        `const view = { id: randomUUID(), draft: prose(${d.scale(300, 1500)}) }; const effect = () => { view.model = settings.read(effect); }; effect();
         setTimeout(() => settings.effects.delete(effect), ${d.whole(3, 14)}_000); await later(1); res.json({ id: view.id });`,
      ),
  },
  'batches-by-bytes': {
    body: (d) =>
      hono(
        `let pending = []; let size = 0; const most = ${d.scale(600_000, 2_500_000)}; const sent = { batches: 0 };`,
        `const row = prose(${d.scale(800, 3000)}); pending.push({ id: randomUUID(), row }); size += row.length; if (size > most) { const out = pending; pending = []; size = 0; await later(20); sent.batches += out.length > 0 ? 1 : 0; }
         return c.json(sent);`,
      ),
  },
  'cache-by-bytes': {
    minSeconds: 110,
    body: (d) =>
      express(
        `const { LRUCache } = require('lru-cache'); const pages = new LRUCache({ maxSize: ${d.scale(1_500_000, 5_000_000)}, sizeCalculation: ({ html }) => html.length });`,
        `pages.set(randomUUID(), { html: prose(${d.scale(600, 2500)}), at: Date.now() }); await later(1); res.json({ n: pages.size });`,
      ),
  },
  'windows-of-long-threads': {
    minSeconds: 130,
    load: { sessions: 40, newSession: 0 },
    body: (d) =>
      hono(
        `const threads = new Map(); const most = ${d.whole(16, 40)};`,
        `let thread = threads.get(body.session); if (!thread) threads.set(body.session, (thread = [])); thread.push({ role: 'assistant', content: prose(${d.scale(300, 1500)}) }); if (thread.length > most) thread.splice(0, thread.length - most);
         await later(2); return c.json({ n: thread.length });`,
      ),
  },
  'etl-every-so-often': {
    minSeconds: 100,
    body: (d) =>
      fastify(
        `let last = null; setInterval(() => { const rows = Array.from({ length: ${d.whole(8000, 25_000)} }, (_, i) => ({ i, id: randomUUID(), score: Math.random() * 100 })); last = { rows: rows.length, best: rows.toSorted((a, b) => b.score - a.score).slice(0, 50) }; }, ${d.whole(9, 23)}_000).unref();`,
        `await later(1); return { rows: last?.rows ?? 0, text: prose(500).length };`,
      ),
  },
  'weak-cache': {
    body: (d) =>
      express(
        `const refs = new Map(); const gone = new FinalizationRegistry((key) => { if (refs.get(key)?.deref() === undefined) refs.delete(key); });
         const page = (key) => { let found = refs.get(key)?.deref(); if (!found) { found = { key, html: prose(${d.scale(800, 3000)}) }; refs.set(key, new WeakRef(found)); gone.register(found, key); } return found; };`,
        `const { html } = page(Math.floor(Math.random() * 20_000)); await later(1); res.json({ n: html.length });`,
      ),
  },
  'in-flight-joined': {
    body: (d) =>
      fastify(
        `const flying = new Map(); const join = (key, work) => { let promise = flying.get(key); if (!promise) { promise = work().finally(() => flying.delete(key)); flying.set(key, promise); } return promise; };`,
        `const out = await join(request.body.session, async () => { await later(${d.whole(5, 400)}); return { text: prose(${d.scale(500, 2500)}) }; }); return { n: out.text.length, flying: flying.size };`,
      ),
  },
  'backlog-at-capacity': {
    minSeconds: 100,
    body: (d) =>
      worker(
        20,
        `const backlog = []; let turn = 0; setInterval(() => { const many = 2 + (++turn % ${d.whole(3, 6)} === 0 ? 1 : 0); backlog.splice(0, many * 3); }, 100);`,
        `backlog.push({ job, plan: prose(${d.scale(300, 1500)}) }); while (backlog.length > ${d.whole(300, 900)}) backlog.shift();`,
      ),
  },
  'flags-with-history': {
    body: (d) =>
      hono(
        `const versions = []; const reload = () => { versions.push({ at: Date.now(), flags: Object.fromEntries(Array.from({ length: ${d.whole(400, 1500)} }, (_, i) => ['flag' + i, { on: Math.random() < 0.5, salt: randomUUID() }])) }); if (versions.length > 5) versions.shift(); };
         reload(); setInterval(reload, ${d.whole(6, 14)}_000).unref();`,
        `await later(1); return c.json({ on: versions.at(-1).flags.flag1.on, n: prose(300).length });`,
      ),
  },
  'clients-that-stay': {
    minSeconds: 130,
    load: { rampS: 45 },
    body: (d) =>
      express(
        `const clients = new Map(); const most = ${d.whole(80, 220)};
         const join = () => { const client = { id: randomUUID(), queue: [], profile: prose(${d.scale(2000, 9000)}) }; clients.set(client.id, client); if (clients.size > most) clients.delete(clients.keys().next().value); return client; };`,
        `if (Math.random() < 0.15) join(); for (const client of clients.values()) { client.queue.push(req.body.text.slice(0, 20)); if (client.queue.length > 10) client.queue.shift(); } await later(1); res.json({ n: clients.size });`,
      ),
  },
  'wasm-arena': {
    minSeconds: 100,
    body: (d) =>
      fastify(
        `const arena = new WebAssembly.Memory({ initial: 16, maximum: ${d.whole(120, 300)} }); let used = 0; const limit = ${d.whole(100, 120)} * 65536;
         const put = (bytes) => { used += bytes; if (used > limit) used = bytes; if (used > arena.buffer.byteLength) arena.grow(4); };`,
        `put(${d.scale(1500, 6000)}); await later(1); return { size: arena.buffer.byteLength, n: prose(300).length };`,
      ),
  },
  'modules-on-first-use': {
    body: (d) =>
      hono(
        `const plugins = new Map(); const most = ${d.whole(30, 90)};
         const plugin = async (n) => { if (!plugins.has(n)) plugins.set(n, await import('data:text/javascript,' + encodeURIComponent('export const table = ' + JSON.stringify(Array.from({ length: 60 }, () => prose(60))) + '; export const n = ' + n))); return plugins.get(n); };`,
        `const { table } = await plugin(Math.floor(most * Math.random() ** 2)); await later(1); return c.json({ n: table.length });`,
      ),
  },
  'prices-kept-by-symbol': {
    minSeconds: 100,
    body: (d) =>
      worker(
        20,
        `const books = new Map(); const symbols = ${d.whole(300, 900)};`,
        `const symbol = 'S' + Math.floor(Math.random() * symbols); let book = books.get(symbol); if (!book) books.set(symbol, (book = { symbol, ticks: new Float64Array(${d.whole(60, 250)}), n: 0, note: '' })); book.ticks[book.n++ % book.ticks.length] = Math.random() * 100; book.note = prose(${d.scale(200, 800)});`,
      ),
  },
};

/** Every program of these kinds, by a seed. */
export function services(seed: number): readonly Program[] {
  return Object.entries({ ...leaks, ...healthyOnes }).map(([name, kind]) =>
    programOf(name, kind, seed, head),
  );
}
