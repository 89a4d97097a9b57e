/** Servers that keep much and let go of it, or stop at a bound: windows, caches of libraries, lazy data, batches, pools, queues that drain. */
import type { Kind } from './program.ts';
import { express, fastify, parented, plain, worker } from './stacks.ts';

export const healthyPatterns: Readonly<Record<string, Omit<Kind, 'holder'>>> = {
  'quota-windows': {
    load: { sessions: 150, newSession: 0.05 },
    minSeconds: 110,
    body: (d) =>
      express(
        `const windows = new Map(); const windowMs = ${d.whole(15, 35)}_000; setInterval(() => { const now = Date.now(); for (const [key, { from }] of windows) if (now - from > windowMs) windows.delete(key); }, 5000).unref();
         app.use((req, res, next) => { const now = Date.now(); let window = windows.get(req.body.session); if (!window || now - window.from > windowMs) windows.set(req.body.session, (window = { from: now, hits: [], plan: prose(${d.scale(200, 1200)}) })); window.hits.push({ at: now, cost: req.body.text.length }); next(); });`,
        `await later(1); res.json({ n: windows.size });`,
      ),
  },
  'tokens-with-a-long-ttl': {
    minSeconds: 150,
    body: (d) =>
      fastify(
        `const { TTLCache } = require('@isaacs/ttlcache'); const tokens = new TTLCache({ ttl: ${d.whole(35, 60)}_000, max: 100_000 });`,
        `const token = prose(60); tokens.set(token, { user: request.body.session, scopes: ['read', 'write'], claims: { text: prose(${d.scale(200, 1200)}) } }); await later(1); return { n: tokens.size };`,
      ),
  },
  'answers-with-ttl-and-max': {
    minSeconds: 120,
    body: (d) =>
      express(
        `const { LRUCache } = require('lru-cache'); const answers = new LRUCache({ max: ${d.whole(1500, 3500)}, ttl: ${d.whole(20, 45)}_000, updateAgeOnGet: true });`,
        `const key = req.body.session + Math.floor(Math.random() * ${d.whole(50, 400)}); let answer = answers.get(key); if (!answer) answers.set(key, (answer = { key, text: prose(${d.scale(400, 2000)}) })); await later(1); res.json({ n: answer.text.length });`,
      ),
  },
  'metrics-of-routes': {
    minSeconds: 110,
    body: (d) =>
      fastify(
        `const { Histogram, Counter, Registry, collectDefaultMetrics } = require('prom-client'); const registry = new Registry(); collectDefaultMetrics({ register: registry });
         const times = new Histogram({ name: 'seconds', help: 's', labelNames: ['route', 'status', 'tenant'], registers: [registry] }); const calls = new Counter({ name: 'calls', help: 'c', labelNames: ['tool', 'model'], registers: [registry] });
         const routes = ${d.whole(20, 60)}; setInterval(() => void registry.metrics(), 10_000).unref();`,
        `const i = Math.floor(routes * Math.random() ** 2); times.observe({ route: '/r' + i, status: Math.random() < 0.05 ? '500' : '200', tenant: 't' + (i % 12) }, Math.random()); calls.inc({ tool: 'tool' + (i % 9), model: 'm' + (i % 4) }); await later(1); return { ok: true };`,
      ),
  },
  'dedupe-with-a-sweep': {
    minSeconds: 120,
    body: (d) =>
      plain(
        `const handled = new Map(); const keepMs = ${d.whole(12, 30)}_000; setInterval(() => { for (const [id, at] of handled) { if (Date.now() - at < keepMs) break; handled.delete(id); } }, ${d.whole(8, 20)}_000).unref();`,
        `for (let i = 0; i < ${d.whole(4, 16)}; i++) { const id = 'message-' + randomUUID(); if (!handled.has(id)) handled.set(id, Date.now()); } await later(1); return { n: handled.size };`,
      ),
  },
  'memo-that-starts-over': {
    minSeconds: 130,
    body: (d) =>
      plain(
        `const memo = new Map(); const most = ${d.whole(800, 2200)}; const layout = (key) => { let found = memo.get(key); if (!found) { if (memo.size >= most) memo.clear(); memo.set(key, (found = { key, boxes: Array.from({ length: 10 }, (_, i) => ({ i, x: i * 3, text: prose(${d.scale(20, 120)}) })) })); } return found; };`,
        `const { boxes } = layout(body.session + randomUUID()); await later(1); return { n: boxes.length };`,
      ),
  },
  'outage-that-backs-up': {
    minSeconds: 120,
    body: (d) =>
      plain(
        `const begun = Date.now(); const backlog = []; const isDown = () => { const s = (Date.now() - begun) / 1000; return s > ${d.whole(15, 25)} && s < ${d.whole(40, 60)}; };
         setInterval(() => { if (!isDown()) backlog.splice(0, 60); }, 500).unref();`,
        `backlog.push({ id: randomUUID(), body, row: prose(${d.scale(400, 2000)}) }); await later(1); return { waiting: backlog.length };`,
      ),
  },
  'shards-on-demand': {
    minSeconds: 120,
    body: (d) =>
      fastify(
        `const shards = new Map(); const many = ${d.whole(20, 60)}; const shard = (n) => { let found = shards.get(n); if (!found) shards.set(n, (found = { n, rows: Array.from({ length: ${d.whole(150, 600)} }, (_, i) => ({ id: n + '-' + i, name: prose(30), at: [i, n] })) })); return found; };`,
        `const { rows } = shard(Math.floor(many * Math.random() ** ${d.whole(1, 4)})); await later(1); return { row: rows[Math.floor(Math.random() * rows.length)] };`,
      ),
  },
  'invoices-in-batches': {
    minSeconds: 130,
    body: (d) =>
      plain(
        `let open = []; let sent = 0; const send = async (batch) => { const text = JSON.stringify(batch); await later(${d.whole(50, 900)}); sent += text.length; }; setInterval(() => { const batch = open; open = []; void send(batch); }, ${d.whole(18, 40)}_000).unref();`,
        `open.push({ id: randomUUID(), customer: body.session, lines: Array.from({ length: 6 }, (_, i) => ({ i, text: prose(${d.scale(30, 150)}), price: i * 100 })) }); await later(1); return { open: open.length, sent };`,
      ),
  },
  'ring-of-buffers': {
    minSeconds: 120,
    body: (d) =>
      plain(
        `const ring = { slots: [], at: 0 }; const most = ${d.whole(600, 1600)};`,
        `ring.slots[ring.at++ % most] = Buffer.from(prose(${d.scale(4000, 20_000)}), 'hex'); await later(1); return { n: ring.slots.length };`,
      ),
  },
  'validators-on-first-use': {
    minSeconds: 120,
    body: (d) =>
      fastify(
        `const Ajv = require('ajv'); const ajv = new Ajv(); const validators = new Map(); const many = ${d.whole(60, 180)};
         const validator = (n) => { let found = validators.get(n); if (!found) validators.set(n, (found = ajv.compile({ $id: 'schema' + n, type: 'object', required: ['session'], properties: { session: { type: 'string' }, text: { type: 'string', maxLength: 5000 + n }, ['field' + n]: { type: 'array', items: { type: 'number', minimum: n } } } }))); return found; };`,
        `const isValid = validator(Math.floor(many * Math.random() ** 2))(request.body); await later(1); return { isValid };`,
      ),
  },
  'users-who-stay': {
    minSeconds: 140,
    load: { sessions: 260, newSession: 0, rampS: 50 },
    body: (d) =>
      express(
        `const sessions = new Map(); const most = ${d.whole(4, 9)};
         app.use((req, res, next) => { let session = sessions.get(req.body.session); if (!session) sessions.set(req.body.session, (session = { id: req.body.session, since: new Date(), profile: { text: prose(${d.scale(500, 3000)}) }, turns: [] })); req.session = session; next(); });`,
        `req.session.turns.push({ text: prose(${d.scale(200, 900)}) }); if (req.session.turns.length > most) req.session.turns.shift(); await later(1); res.json({ n: sessions.size });`,
      ),
  },
  'pool-of-threads': {
    minSeconds: 100,
    body: (d) =>
      plain(
        `const { Piscina } = require('piscina'); const { writeFileSync } = require('node:fs'); const file = new URL('task.mjs', import.meta.url); writeFileSync(file, "const last = []; export default ({ text }) => { const rows = Array.from({ length: ${d.whole(50, 300)} }, (_, i) => text.slice(i, i + 60)); last.push(rows); if (last.length > 40) last.shift(); return rows.length; };");
         const pool = new Piscina({ filename: file.href, minThreads: 1, maxThreads: 2 });`,
        `const rows = await pool.run({ text: body.text + prose(500) }); return { rows };`,
      ),
  },
  'child-with-a-cache': {
    minSeconds: 110,
    body: (d) =>
      parented(
        `const child = fork(new URL(import.meta.url).pathname, ['child']); let n = 0; const waiting = new Map(); child.on('message', ({ id, html }) => { waiting.get(id)?.(html); waiting.delete(id); });
         const render = (title) => new Promise((resolve) => { waiting.set(++n, resolve); child.send({ id: n, title }); });
         ${plain('', `const html = await render(body.session); return { n: html.length };`)}`,
        `const rendered = new Map(); process.on('message', ({ id, title }) => { const html = '<h1>' + title + '</h1>' + prose(${d.scale(400, 2000)}); rendered.set(randomUUID(), { title, html, at: Date.now() }); if (rendered.size > ${d.whole(300, 1500)}) rendered.delete(rendered.keys().next().value); process.send({ id, html: html.slice(0, 100) }); }); process.on('disconnect', () => process.exit(0));`,
      ),
  },
  'statements-per-connection': {
    minSeconds: 130,
    body: (d) =>
      plain(
        `class Connection { statements = new Map(); prepare(sql) { let made = this.statements.get(sql); if (!made) { this.statements.set(sql, (made = { sql, plan: prose(${d.scale(200, 1000)}) })); if (this.statements.size > ${d.whole(60, 120)}) this.statements.delete(this.statements.keys().next().value); } return made; } }
         const pool = Array.from({ length: ${d.whole(5, 12)} }, () => new Connection());`,
        `const connection = pool.shift(); try { for (let i = 0; i < 3; i++) connection.prepare('select * from t' + Math.floor(${d.whole(90, 200)} * Math.random() ** 2)); await later(1); return { n: connection.statements.size }; } finally { pool.push(connection); }`,
      ),
  },
  'subscribers-that-leave': {
    minSeconds: 120,
    body: (d) =>
      fastify(
        `const feed = new EventEmitter(); feed.setMaxListeners(0); setInterval(() => feed.emit('price', { at: Date.now(), text: prose(100) }), 500).unref();
         const join = (id) => { const seen = []; const take = (price) => { seen.push(price); if (seen.length > 20) seen.shift(); }; feed.on('price', take); setTimeout(() => feed.off('price', take), ${d.whole(5, 20)}_000 * (0.5 + Math.random())).unref(); return { id, seen }; };`,
        `const { seen } = join(randomUUID()); await later(1); return { n: seen.length, open: feed.listenerCount('price') };`,
      ),
  },
  'deadlines-per-request': {
    body: (d) =>
      express(
        `const closing = new AbortController();
         const fetchUpstream = (signal, text) => new Promise((resolve, reject) => { const timer = setTimeout(() => { signal.removeEventListener('abort', stop); resolve(text.slice(0, 100)); }, ${d.whole(2, 40)}); const stop = () => { clearTimeout(timer); reject(signal.reason); }; signal.addEventListener('abort', stop, { once: true }); });`,
        `const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(${d.whole(500, 4000)})]); const text = await fetchUpstream(signal, req.body.text + prose(${d.scale(500, 3000)})); res.json({ n: text.length });`,
      ),
  },
  'search-index-rebuilt': {
    minSeconds: 130,
    body: (d) =>
      plain(
        `let documents = []; let index = new Map(); const build = () => { const made = new Map(); for (const { id, text } of documents) for (const word of text.match(/.{8}/g) ?? []) { const ids = made.get(word) ?? []; ids.push(id); made.set(word, ids); } index = made; }; setInterval(build, ${d.whole(9, 25)}_000).unref();`,
        `documents.push({ id: randomUUID(), text: prose(${d.scale(80, 300)}) }); if (documents.length > ${d.whole(400, 1000)}) documents.shift(); await later(1); return { words: index.size };`,
      ),
  },
  'access-log-by-size': {
    minSeconds: 110,
    body: (d) =>
      express(
        `let pending = ''; const flush = async () => { const text = pending; pending = ''; await later(20); return Buffer.byteLength(text); }; app.use((req, res, next) => { res.once('finish', () => { pending += JSON.stringify({ at: Date.now(), session: req.body.session, headers: req.headers, note: prose(${d.scale(200, 1200)}) }) + '\\n'; if (pending.length > ${d.scale(800_000, 3_000_000)}) void flush(); }); next(); });`,
        `await later(1); res.json({ pending: pending.length });`,
      ),
  },
  'breakers-per-upstream': {
    minSeconds: 110,
    body: (d) =>
      express(
        `const CircuitBreaker = require('opossum'); const breakers = new Map(); const many = ${d.whole(15, 50)}; const breaker = (n) => { let found = breakers.get(n); if (!found) breakers.set(n, (found = new CircuitBreaker(async (text) => { await later(2); if (Math.random() < 0.1) throw new Error('503'); return text.length; }, { timeout: 2000, resetTimeout: 3000 }))); return found; };`,
        `const n = await breaker(Math.floor(many * Math.random() ** 2)).fire(req.body.text + prose(500)).catch(() => 0); res.json({ n });`,
      ),
  },
  'jobs-with-retries': {
    minSeconds: 110,
    body: (d) =>
      worker(
        18,
        `const retries = new Map(); setInterval(() => { for (const [id, entry] of retries) { if (Math.random() < 0.4) retries.delete(id); else if (++entry.tries > ${d.whole(6, 20)}) retries.delete(id); } }, 1000).unref();`,
        `await later(2); if (Math.random() < 0.4) retries.set(job.id, { job, tries: 0, error: new Error('429'), body: prose(${d.scale(400, 2000)}) });`,
      ),
  },
};
