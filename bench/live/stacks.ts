/**
 * Programs of other builds than the rest: Express, Fastify, Hono, workers of a queue without any server. They were written when the rules
 * stood. What they showed was mended since, so that a kind which no rule has seen has to be a new one: `npm run bench -- live stacks [idle|busy] [NAME]...`.
 */
import { resolve } from 'node:path';
import { programOf, type Kind, type Program } from './program.ts';

/** Packages are those of the benchmarks: the program's own folder has none. */
export const head = `
import { createRequire } from 'node:module';
import { randomUUID, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
const require = createRequire(${JSON.stringify(resolve(import.meta.dirname, '../package.json'))});
const told = (port) => console.log('listening on ' + port);
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const prose = (bytes) => randomBytes(Math.ceil(bytes / 2)).toString('hex');
`;

export const express = (middleware: string, handler: string): string => `
const express = require('express');
const app = express();
app.use(express.json({ limit: '2mb' }));
${middleware}
app.post('/chat', async (req, res) => { ${handler} });
const listener = app.listen(0, '127.0.0.1', () => told(listener.address().port));
`;

export const fastify = (before: string, handler: string): string => `
const app = require('fastify')({ logger: false });
${before}
app.post('/chat', async (request, reply) => { ${handler} });
await app.listen({ port: 0, host: '127.0.0.1' });
told(app.server.address().port);
`;

export const hono = (before: string, handler: string): string => `
const { Hono } = require('hono');
const { serve } = require('@hono/node-server');
const app = new Hono();
${before}
app.post('/chat', async (c) => { const body = await c.req.json(); ${handler} });
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (info) => told(info.port));
`;

/** A server of node:http without a framework, which looks up a page of a catalogue for each request. */
export const plain = (before: string, handler: string): string => `
const http = require('node:http');
${before}
const catalogue = Array.from({ length: 300 }, (_, i) => ({ id: 'item' + i, title: prose(40), tags: ['a' + (i % 7), 'b' + (i % 11)] }));
const bodyOf = async (request) => { const parts = []; for await (const part of request) parts.push(part); return JSON.parse(Buffer.concat(parts).toString() || '{}'); };
const server = http.createServer(async (request, response) => {
  try {
    const body = await bodyOf(request);
    const found = catalogue.filter(({ tags }) => tags.includes('a' + (String(body.session).length % 7))).slice(0, 20);
    const value = await (async () => { ${handler} })();
    response.setHeader('content-type', 'application/json'); response.end(JSON.stringify({ found, value }));
  } catch (error) { response.statusCode = 500; response.end(JSON.stringify({ error: error.message })); }
});
server.listen(0, '127.0.0.1', () => told(server.address().port));
`;

/** The same program as a child process of itself, by the argument. */
export const parented = (parent: string, child: string): string => `
const { fork } = require('node:child_process');
if (process.argv[2] === 'child') { ${child} } else { ${parent} }
`;

/** A worker of a queue: nothing listens, so that the load has nobody to talk to. */
export const worker = (everyMs: number, before: string, job: string): string => `
${before}
async function work(job) { ${job} }
setInterval(() => void work({ id: randomUUID(), text: prose(600) }), ${everyMs});
told(1);
`;

const leaks: Readonly<Record<string, Kind>> = {
  'fastify-decorated-map': {
    holder: /conversations/,
    body: (d) =>
      fastify(
        `app.decorate('conversations', new Map());
         app.addHook('preHandler', async (request) => {
           app.conversations.set(request.id + randomUUID(), { headers: request.headers, body: request.body, notes: prose(${d.scale(300, 2000)}) });
         });`,
        `await later(2); return { ok: true, open: app.conversations.size };`,
      ),
  },
  'express-session-object': {
    holder: /SessionStore|byId|sessions/,
    body: (d) =>
      express(
        `class SessionStore { byId = {}; create() { const id = randomUUID(); this.byId[id] = { id, created: Date.now(), cart: [], trail: prose(${d.scale(400, 1500)}) }; return this.byId[id]; } }
         const sessions = new SessionStore();
         app.use((req, res, next) => { req.session = sessions.byId[req.headers.cookie ?? ''] ?? sessions.create(); next(); });`,
        `req.session.cart.push(req.body.text.slice(0, 50)); await later(1); res.json({ id: req.session.id });`,
      ),
  },
  'queue-results': {
    holder: /results/,
    body: (d) =>
      worker(
        20,
        `const results = new Map();`,
        `await later(3); results.set(job.id, { at: Date.now(), job, summary: prose(${d.scale(300, 1500)}) });`,
      ),
  },
  'hono-memo': {
    holder: /memo|cache|answers/,
    body: (d) =>
      hono(
        `function memoize(work) { const cache = new Map(); return async (key) => { if (!cache.has(key)) cache.set(key, await work(key)); return cache.get(key); }; }
         const reply = memoize(async (key) => ({ key, text: prose(${d.scale(300, 2000)}) }));`,
        `const answer = await reply(body.session + body.text + Math.random()); return c.json({ length: answer.text.length });`,
      ),
  },
  'private-registry': {
    holder: /AgentRegistry|agents|children/,
    body: (d) =>
      express(
        `class Agent { children = []; constructor(name) { this.name = name; this.scratch = prose(${d.scale(300, 1500)}); } }
         class AgentRegistry { #root = new Agent('root'); spawn(name) { const agent = new Agent(name); this.#root.children.push(agent); return agent; } }
         const registry = new AgentRegistry();`,
        `const agent = registry.spawn(req.body.session); await later(2); res.json({ name: agent.name });`,
      ),
  },
  'bus-of-names': {
    holder: /bus|_events|listener/i,
    body: (d) =>
      fastify(
        `const bus = new EventEmitter(); bus.setMaxListeners(0);`,
        `const id = randomUUID(); const draft = { text: prose(${d.scale(300, 1500)}), request: request.body };
         bus.on('done:' + id, () => { draft.done = true; }); await later(2); return { id };`,
      ),
  },
  'calls-without-answer': {
    holder: /pending/,
    body: (d) =>
      hono(
        `const pending = new Map();
         const call = (tool, args) => new Promise((resolve, reject) => { const id = randomUUID(); pending.set(id, { resolve, reject, tool, args, trace: prose(${d.scale(400, 2000)}) }); if (Math.random() < 0.6) setTimeout(() => { resolve('ok'); pending.delete(id); }, 3); });`,
        `const result = await Promise.race([call('search', body), later(20)]); return c.json({ result: result ?? null });`,
      ),
  },
  'interval-per-visitor': {
    holder: /Timeout|timer|heartbeat|history/i,
    body: (d) =>
      express(
        `function heartbeat(visitor) { const history = [prose(${d.scale(400, 1500)})]; setInterval(() => { history[0] = history[0].slice(0) ; visitor.beats++; }, 30_000).unref(); }`,
        `const visitor = { session: req.body.session, beats: 0 }; heartbeat(visitor); await later(1); res.json(visitor);`,
      ),
  },
  'retry-queue': {
    holder: /retries|queue|Buffer/i,
    body: (d) =>
      worker(
        40,
        `const retries = []; const deliver = async () => { throw new Error('503'); };
         setInterval(() => { const batch = retries.splice(0, 20); for (const each of batch) deliver().catch(() => retries.push({ ...each, tries: each.tries + 1 })); }, 500);`,
        `retries.push({ id: job.id, tries: 0, body: Buffer.from(prose(${d.scale(4000, 16000)})) });`,
      ),
  },
  'context-chain': {
    holder: /previous|last|context/i,
    body: (d) =>
      fastify(
        `let last = null;
         const enter = (body) => (last = { id: randomUUID(), previous: last, body, plan: prose(${d.scale(300, 1500)}) });`,
        `const context = enter(request.body); await later(2); return { id: context.id };`,
      ),
  },
  'transcript-buffer': {
    holder: /transcript|Buffer|bytes/i,
    body: (d) =>
      express(
        `const transcript = { bytes: Buffer.alloc(0) };`,
        `transcript.bytes = Buffer.concat([transcript.bytes, Buffer.from(prose(${d.scale(1500, 4000)}))]); await later(1); res.json({ size: transcript.bytes.length });`,
      ),
  },
  'set-of-abort-controllers': {
    holder: /active|AbortController|controllers/i,
    body: (d) =>
      hono(
        `const active = new Set();`,
        `const controller = new AbortController(); active.add(controller);
         const work = { text: prose(${d.scale(400, 1500)}) }; controller.signal.addEventListener('abort', () => { work.over = true; });
         await later(2); return c.json({ n: active.size });`,
      ),
  },
};

const healthyOnes: Readonly<Record<string, Omit<Kind, 'holder'>>> = {
  'fastify-lru': {
    body: (d) =>
      fastify(
        `const { LRUCache } = require('lru-cache'); const cache = new LRUCache({ max: ${d.scale(1000, 2500)} }); app.decorate('cache', cache);`,
        `app.cache.set(randomUUID(), { text: prose(${d.scale(300, 1500)}), body: request.body }); await later(2); return { n: app.cache.size };`,
      ),
  },
  'express-sessions-swept': {
    body: (d) =>
      express(
        `class SessionStore { byId = new Map(); create() { const id = randomUUID(); const made = { id, created: Date.now(), trail: prose(${d.scale(400, 1500)}) }; this.byId.set(id, made); return made; }
           sweep() { for (const [id, { created }] of this.byId) if (Date.now() - created > ${d.whole(12, 25)}_000) this.byId.delete(id); } }
         const sessions = new SessionStore(); setInterval(() => sessions.sweep(), 4000);
         app.use((req, res, next) => { req.session = sessions.create(); next(); });`,
        `await later(1); res.json({ id: req.session.id });`,
      ),
  },
  'queue-in-batches': {
    body: (d) =>
      worker(
        20,
        `let batch = []; const flush = async () => { const out = batch; batch = []; await later(50); return JSON.stringify(out).length; };`,
        `batch.push({ job, row: prose(${d.scale(300, 1500)}) }); if (batch.length >= ${d.whole(300, 700)}) await flush();`,
      ),
  },
  'hono-memo-bounded': {
    body: (d) =>
      hono(
        `const memo = new Map();`,
        `memo.set(body.session + Math.random(), { text: prose(${d.scale(300, 1500)}) }); if (memo.size > ${d.whole(400, 1200)}) memo.delete(memo.keys().next().value);
         await later(1); return c.json({ n: memo.size });`,
      ),
  },
  'agents-that-finish': {
    body: (d) =>
      express(
        `class Agent { children = new Set(); constructor(name) { this.name = name; this.scratch = prose(${d.scale(300, 1500)}); } }
         class AgentRegistry { #root = new Agent('root'); spawn(name) { const agent = new Agent(name); this.#root.children.add(agent); setTimeout(() => this.#root.children.delete(agent), ${d.whole(4, 15)}_000 * (0.5 + Math.random())); return agent; } }
         const registry = new AgentRegistry();`,
        `const agent = registry.spawn(req.body.session); await later(2); res.json({ name: agent.name });`,
      ),
  },
  'bus-that-is-told': {
    body: (d) =>
      fastify(
        `const bus = new EventEmitter(); bus.setMaxListeners(0);`,
        `const id = randomUUID(); const draft = { text: prose(${d.scale(300, 1500)}) };
         const done = new Promise((resolve) => bus.once('done:' + id, resolve)); setTimeout(() => bus.emit('done:' + id), 5); await done; return { id, n: draft.text.length };`,
      ),
  },
  'calls-that-time-out': {
    body: (d) =>
      hono(
        `const pending = new Map();
         const call = (args) => new Promise((resolve) => { const id = randomUUID(); const end = () => { pending.delete(id); resolve(id); }; const timer = setTimeout(end, ${d.whole(5, 12)}_000); pending.set(id, { resolve, args, trace: prose(${d.scale(400, 1500)}), timer }); if (Math.random() < 0.7) setTimeout(() => { clearTimeout(timer); end(); }, 4); });`,
        `await Promise.race([call(body), later(30)]); return c.json({ n: pending.size });`,
      ),
  },
  'templates-by-use': {
    body: (d) =>
      express(
        `const compiled = new Map(); const most = ${d.whole(200, 500)};
         const render = (n, values) => { if (!compiled.has(n)) compiled.set(n, new Function('v', 'return ' + JSON.stringify(prose(800)) + ' + v.session')); return compiled.get(n)(values); };`,
        `await later(1); res.json({ text: render(Math.floor(Math.random() ** 2 * most), req.body).length });`,
      ),
  },
  'ring-of-logs': {
    body: (d) =>
      fastify(
        `const ring = []; let at = 0; const most = ${d.whole(800, 1800)}; const log = (row) => { ring[at % most] = row; at++; };`,
        `log({ at: Date.now(), url: request.url, line: prose(${d.scale(300, 1500)}) }); await later(1); return { n: ring.length };`,
      ),
  },
  'tenants-on-first-use': {
    body: (d) =>
      hono(
        `const tenants = new Map(); const tenant = (n) => { if (!tenants.has(n)) tenants.set(n, { n, pool: Array.from({ length: 8 }, () => ({ id: randomUUID(), buffer: Buffer.alloc(${d.scale(500, 2000)}) })) }); return tenants.get(n); };
         const most = ${d.whole(150, 400)};`,
        `const used = tenant(Math.floor(Math.random() * most)); await later(1); return c.json({ n: used.n });`,
      ),
  },
  'large-bodies': {
    load: { bodyBytes: 3000, rate: 30 },
    body: (d) =>
      express(
        '',
        `const rows = Array.from({ length: ${d.whole(200, 600)} }, (_, i) => ({ i, text: prose(200), echo: req.body.text.slice(i, i + 40) }));
         await later(5); res.json({ rows: rows.length, last: rows.at(-1).text });`,
      ),
  },
  'queue-with-history': {
    body: (d) =>
      worker(
        25,
        `const history = []; let total = 0;`,
        `await later(2); total++; history.push({ id: job.id, at: Date.now(), note: prose(${d.scale(200, 900)}) }); if (history.length > ${d.whole(500, 1200)}) history.splice(0, 100);`,
      ),
  },
};

/** Every program of these kinds, by a seed. */
export function stacks(seed: number): readonly Program[] {
  return Object.entries({ ...leaks, ...healthyOnes }).map(([name, kind]) =>
    programOf(name, kind, seed, head),
  );
}
