/**
 * Servers by what their authors do with memory: limits per user, audit logs, exports, rooms, jobs in children and threads, uploads, promises.
 * Written when the rules for the other sets stood; no rule was made on them before their first score:
 * `npm run bench -- live patterns [idle|busy] [NAME]...`.
 */
import { healthyPatterns } from './patterns-healthy.ts';
import { programOf, type Kind, type Program } from './program.ts';
import { express, fastify, head, parented, plain } from './stacks.ts';

const leaks: Readonly<Record<string, Kind>> = {
  'audit-of-failures': {
    holder: /failures|audit/i,
    minSeconds: 130,
    body: (d) =>
      plain(
        `const begun = Date.now(); const audit = { failures: [] }; const recent = [];
         const charge = async (body) => { await later(1); if (Date.now() - begun > ${d.whole(38, 50)}_000 && Math.random() < 0.3) throw new Error('card of ' + body.session + ' was declined'); return prose(200); };`,
        `recent.push(prose(800)); if (recent.length > 150) recent.shift();
         try { return await charge(body); } catch (error) { audit.failures.push({ error, request: { headers: request.headers, body }, at: new Date(), note: prose(${d.scale(300, 1500)}) }); throw error; }`,
      ),
  },
  'limiter-per-user': {
    holder: /limiters|buckets|TokenBucket/i,
    load: { newSession: 0.6 },
    body: (d) =>
      express(
        `class TokenBucket { tokens = 20; at = Date.now(); history = []; take() { const now = Date.now(); this.tokens = Math.min(20, this.tokens + (now - this.at) / 1000); this.at = now; this.history.push(now); if (this.history.length > 20) this.history.shift(); return this.tokens-- > 0; } }
         const limiters = new Map(); const plan = () => ({ tier: 'free', features: Array.from({ length: 8 }, () => prose(${d.scale(20, 120)})) });
         app.use((req, res, next) => { let limiter = limiters.get(req.body.session); if (!limiter) limiters.set(req.body.session, (limiter = Object.assign(new TokenBucket(), { plan: plan() }))); limiter.take() ? next() : res.status(429).end(); });`,
        `await later(1); res.json({ text: prose(300) });`,
      ),
  },
  'results-of-a-child': {
    holder: /rendered|pages|results/i,
    body: (d) =>
      parented(
        `const child = fork(new URL(import.meta.url).pathname, ['child']); let n = 0; const waiting = new Map(); child.on('message', ({ id, html }) => { waiting.get(id)?.(html); waiting.delete(id); });
         const render = (title) => new Promise((resolve) => { waiting.set(++n, resolve); child.send({ id: n, title }); });
         ${plain('', `const html = await render(body.session); return { n: html.length };`)}`,
        `const rendered = new Map(); process.on('message', ({ id, title }) => { const html = '<h1>' + title + '</h1>' + prose(${d.scale(400, 2000)}); rendered.set(randomUUID(), { title, html, at: Date.now() }); process.send({ id, html: html.slice(0, 100) }); }); process.on('disconnect', () => process.exit(0));`,
      ),
  },
  'index-of-a-thread': {
    holder: /postings|index|words/i,
    minSeconds: 100,
    body: (d) => `
const { Worker, isMainThread, parentPort } = require('node:worker_threads');
if (isMainThread) {
  const indexer = new Worker(new URL(import.meta.url));
  ${plain('', `indexer.postMessage({ id: randomUUID(), text: body.text + prose(${d.scale(200, 900)}) }); await later(1); return { ok: true };`)}
} else {
  const index = { postings: {} };
  parentPort.on('message', ({ id, text }) => { for (const word of new Set(text.split(' ').slice(0, 12))) (index.postings[word] ??= []).push({ id, at: text.indexOf(word), context: text.slice(0, 60) + id }); });
}`,
  },
  'finishers-of-responses': {
    holder: /finishers|onShutdown|drain/i,
    body: (d) =>
      express(
        `app.locals.finishers = []; const onShutdown = (finish) => app.locals.finishers.push(finish);`,
        `const draft = { id: randomUUID(), text: prose(${d.scale(300, 1500)}) }; onShutdown(() => { if (!res.writableEnded) res.end(draft.text); }); await later(2); res.json({ id: draft.id });`,
      ),
  },
  'once-that-never-comes': {
    holder: /model|reloaded|_events|listener/i,
    body: (d) =>
      plain(
        `const { once } = require('node:events'); const models = new EventEmitter(); models.setMaxListeners(0);`,
        `const prompt = { system: prose(${d.scale(300, 1500)}), turns: [body.text] };
         const reloaded = once(models, 'reloaded').then(() => { prompt.system = ''; }); void reloaded;
         await later(1); return { n: prompt.turns.length };`,
      ),
  },
  'chunks-never-joined': {
    holder: /partial|chunks|uploads|Buffer/i,
    body: (d) =>
      plain(
        `const partial = new Map(); const receive = (id, chunk, isLast) => { let parts = partial.get(id); if (!parts) partial.set(id, (parts = [])); parts.push(chunk); if (isLast) partial.delete(id); };`,
        `const id = randomUUID(); const isBroken = Math.random() < ${(d.whole(25, 60) / 100).toFixed(2)};
         for (let i = 0; i < 3; i++) { receive(id, Buffer.alloc(${d.scale(4000, 20_000)}, i), i === 2 && !isBroken); await later(1); } return { id, open: partial.size };`,
      ),
  },
  'export-as-text': {
    holder: /csv|exports|days/i,
    body: (d) =>
      plain(
        `const exports = { csv: 'at;session;tokens;text\\n' };`,
        `for (let i = 0; i < 4; i++) exports.csv += [Date.now(), body.session, i, prose(${d.scale(60, 400)})].join(';') + '\\n'; await later(1); return { bytes: exports.csv.length };`,
      ),
  },
  'watchdogs-left-armed': {
    holder: /Timeout|timer|watchdog/i,
    body: (d) =>
      fastify(
        `const watch = (work) => { const watchdog = setTimeout(() => { work.isStuck = true; }, ${d.whole(8, 20)} * 60_000); watchdog.unref(); return watchdog; };`,
        `const work = { session: request.body.session, context: prose(${d.scale(400, 2000)}) }; watch(work); await later(3); return { n: work.context.length };`,
      ),
  },
  'rooms-with-emitters': {
    holder: /rooms|Room/i,
    load: { newSession: 0.4 },
    body: (d) =>
      fastify(
        `class Room extends EventEmitter { log = []; constructor(id) { super(); this.id = id; this.on('said', (text) => { this.log.push(text); if (this.log.length > 5) this.log.shift(); }); this.once('closed', () => rooms.delete(id)); } }
         const rooms = new Map();`,
        `const { session, text } = request.body; let room = rooms.get(session); if (!room) rooms.set(session, (room = new Room(session))); room.emit('said', text.slice(0, 50) + prose(${d.scale(200, 1200)})); await later(1); return { n: room.log.length };`,
      ),
  },
  'workers-of-a-cluster': {
    holder: /profiles|byUser/i,
    body: (d) => `
const cluster = require('node:cluster');
if (cluster.isPrimary) { for (let i = 0; i < 2; i++) cluster.fork(); } else {
  const profiles = { byUser: {} };
  ${plain('', `const key = body.session + randomUUID(); profiles.byUser[key] = { key, seen: Date.now(), embedding: Array.from({ length: ${d.scale(40, 200)} }, () => Math.random()) }; await later(1); return { key };`)}
}`,
  },
  'promises-behind-a-slow-one': {
    holder: /tail|queue|Promise|write/i,
    body: (d) =>
      plain(
        `let tail = Promise.resolve(); const write = async (row) => { await later(${d.whole(40, 60)}); return row.length; }; const append = (row) => { tail = tail.then(() => write(row)); return tail; };`,
        `void append(JSON.stringify({ body, at: Date.now(), text: prose(${d.scale(400, 2000)}) })); await later(1); return { ok: true };`,
      ),
  },
  'cache-of-expired': {
    holder: /answers|LRUCache|keyMap|valList|cache/i,
    body: (d) =>
      express(
        `const { LRUCache } = require('lru-cache'); process.removeAllListeners('warning'); const answers = new LRUCache({ ttl: ${d.whole(2, 8)}_000 });`,
        `const key = req.body.session + req.body.text.slice(0, 20) + randomUUID().slice(0, 6); answers.set(key, { text: prose(${d.scale(300, 1500)}) }); await later(1); res.json({ n: answers.size });`,
      ),
  },
  'iterators-left-open': {
    holder: /feed|listener|_events|iterators|on/i,
    body: (d) =>
      fastify(
        `const { on } = require('node:events'); const feed = new EventEmitter(); feed.setMaxListeners(0); setInterval(() => feed.emit('tick', { at: Date.now() }), 5000).unref();`,
        `const ticks = on(feed, 'tick'); const note = { id: randomUUID(), text: prose(${d.scale(300, 1200)}) }; void ticks.next().then(() => { note.text += '.'; }); await later(1); return { id: note.id };`,
      ),
  },
  'seen-urls': {
    holder: /seen|visited|crawler/i,
    body: (d) =>
      fastify(
        `class Crawler { #seen = new Set(); #queue = []; add(url) { if (this.#seen.has(url)) return; this.#seen.add(url); this.#queue.push(url); if (this.#queue.length > 100) this.#queue.shift(); } } const crawler = new Crawler();`,
        `for (let i = 0; i < ${d.whole(10, 30)}; i++) crawler.add('https://example.org/' + randomUUID() + '?page=' + i); await later(1); return { ok: true };`,
      ),
  },
};

/** Every program of these kinds, by a seed. */
export function patterns(seed: number): readonly Program[] {
  return Object.entries({ ...leaks, ...healthyPatterns }).map(([name, kind]) =>
    programOf(name, kind, seed, head),
  );
}
