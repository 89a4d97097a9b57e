/**
 * Programs of other builds than the other sets: several modules, route modules loaded by name, CommonJS beside ES modules, packages of one's
 * own, loops without timers, generators, chains of promises, registries of decorators. They were written before the walk learnt of frames,
 * and nothing was changed for them before their first score: `npm run bench -- live builds [idle|busy] [NAME]...`.
 */
import { programOf, type Kind, type Program } from './program.ts';
import { express, fastify, head, hono } from './stacks.ts';

/** Source that writes further modules of the program beside it. */
function modules(files: Readonly<Record<string, string>>): string {
  return `
const { mkdirSync, writeFileSync } = await import('node:fs');
const { dirname } = await import('node:path');
for (const [name, text] of Object.entries(${JSON.stringify(files)})) { const file = new URL(name, import.meta.url); mkdirSync(dirname(file.pathname), { recursive: true }); writeFileSync(file, text); }
`;
}

/** A server without a framework that loads the module of a route at each request, as file routers do. */
function routed(files: Readonly<Record<string, string>>): string {
  return `${modules(files)}
const http = await import('node:http');
const server = http.createServer(async (request, response) => {
  let text = ''; for await (const chunk of request) text += chunk;
  const { POST } = await import('./routes' + new URL(request.url, 'http://local').pathname + '.mjs');
  const value = await POST(JSON.parse(text || '{}'));
  response.setHeader('content-type', 'application/json'); response.end(JSON.stringify(value));
});
server.listen(0, '127.0.0.1', () => told(server.address().port));
`;
}

const random = `import { randomBytes, randomUUID } from 'node:crypto'; const prose = (bytes) => randomBytes(Math.ceil(bytes / 2)).toString('hex');`;
const randomCjs = `const { randomBytes, randomUUID } = require('node:crypto'); const prose = (bytes) => randomBytes(Math.ceil(bytes / 2)).toString('hex');`;

const leaks: Readonly<Record<string, Kind>> = {
  'route-module-state': {
    holder: /drafts|saved/i,
    body: (d) =>
      routed({
        'lib/drafts.mjs': `const drafts = new Map(); export function save(id, draft) { drafts.set(id, draft); return drafts.size; }`,
        'routes/chat.mjs': `${random} import { save } from '../lib/drafts.mjs'; export async function POST(body) { return { n: save(randomUUID(), { session: body.session, text: prose(${d.scale(300, 1500)}) }) }; }`,
      }),
  },
  'commonjs-module-state': {
    holder: /answers|known|cache/i,
    body: (d) =>
      `${modules({
        'answers.cjs': `${randomCjs} const answers = {}; exports.answer = function (question) { const key = question + randomUUID(); return (answers[key] = { key, text: prose(${d.scale(300, 1500)}) }); };`,
      })}
       const { answer } = createRequire(import.meta.url)('./answers.cjs');
       ${hono('', `await later(1); return c.json({ n: answer(body.session).text.length });`)}`,
  },
  'tools-decorated-per-run': {
    holder: /registry|tools|handlers/i,
    body: (d) =>
      `class ToolRegistry { static registry = []; static tool(name) { return (target) => { ToolRegistry.registry.push({ name, target, schema: { type: 'object', text: prose(${d.scale(200, 1000)}) } }); return target; }; } }
       ${fastify('', `const search = ToolRegistry.tool('search')(class Search { run() { return request.body.text; } }); await later(1); return { n: new search().run().length };`)}`,
  },
  'generator-that-collects': {
    holder: /collector|all|seen|transcript/i,
    body: (d) =>
      hono(
        `function* collect() { const transcript = []; for (;;) { const turn = yield transcript.length; if (turn) transcript.push(turn); } } const collector = collect(); collector.next();`,
        `const { value } = collector.next({ role: 'user', text: prose(${d.scale(300, 1500)}) }); await later(1); return c.json({ n: value });`,
      ),
  },
  'results-in-a-promise-chain': {
    holder: /tail|chain|promise/i,
    body: (d) =>
      express(
        `let tail = Promise.resolve([]); const enqueue = (job) => (tail = tail.then(async (done) => { await later(1); done.push({ job, output: prose(${d.scale(300, 1500)}) }); return done; }));`,
        `const done = await enqueue(req.body); res.json({ n: done.length });`,
      ),
  },
  'loop-at-top-level': {
    holder: /finished|results|outputs/i,
    minSeconds: 100,
    body: (d) => `told(1);
const finished = [];
for (let n = 0; ; n++) { await later(${d.whole(15, 25)}); const job = { id: randomUUID(), n }; finished.push({ job, output: prose(${d.scale(300, 1500)}) }); }
`,
  },
  'consumer-of-an-iterator': {
    holder: /byId|consumed|offsets/i,
    minSeconds: 100,
    body: (d) => `
async function* poll() { for (let offset = 0; ; offset++) { await later(${d.whole(15, 25)}); yield { offset, key: randomUUID(), value: prose(${d.scale(300, 1500)}) }; } }
async function consume(topic) { const byId = new Map(); for await (const message of poll(topic)) byId.set(message.key, message); }
void consume('orders'); told(1);
`,
  },
  'lru-that-forgets-its-map': {
    holder: /byKey|Lru|entries|lookup/i,
    body: (d) =>
      fastify(
        `class Lru { #order = []; #byKey = new Map(); constructor(most) { this.most = most; } set(key, value) { this.#order.push(key); this.#byKey.set(key, value); if (this.#order.length > this.most) this.#order.shift(); } get size() { return this.#byKey.size; } }
         const pages = new Lru(${d.whole(100, 400)});`,
        `pages.set(randomUUID(), { html: prose(${d.scale(300, 1500)}) }); await later(1); return { n: pages.size };`,
      ),
  },
  'sweep-that-misses': {
    holder: /jobs|running/i,
    body: (d) =>
      hono(
        `const jobs = new Map(); setInterval(() => { for (const [id, job] of jobs) if (job.state === 'done' && Date.now() - job.at > 3000) jobs.delete(id); }, 1000).unref();`,
        `const job = { id: randomUUID(), at: Date.now(), state: 'running', input: prose(${d.scale(300, 1500)}) }; jobs.set(job.id, job); await later(2); if (Math.random() < ${(d.whole(30, 60) / 100).toFixed(2)}) job.state = 'done'; return c.json({ n: jobs.size });`,
      ),
  },
  'package-that-records': {
    holder: /spans|Recorder|recorder|finished/i,
    body: (d) =>
      `${modules({
        'node_modules/tiny-recorder/package.json': JSON.stringify({
          name: 'tiny-recorder',
          version: '1.4.2',
          type: 'module',
          exports: './index.js',
        }),
        'node_modules/tiny-recorder/index.js': `import { randomUUID } from 'node:crypto'; export class Recorder { #spans = []; #exporter; constructor(exporter) { this.#exporter = exporter; } span(name, data) { this.#spans.push({ id: randomUUID(), name, data, at: Date.now() }); if (this.#exporter) { this.#exporter(this.#spans); this.#spans = []; } } get pending() { return this.#spans.length; } }`,
      })}
       const { Recorder } = await import('tiny-recorder'); const recorder = new Recorder();
       ${express('', `recorder.span('chat', { session: req.body.session, prompt: prose(${d.scale(300, 1500)}) }); await later(1); res.json({ n: recorder.pending });`)}`,
  },
  'calls-by-controller': {
    holder: /meta|calls|WeakMap|Controller/i,
    body: (d) =>
      fastify(
        `const meta = new WeakMap(); class ChatController { run(body) { meta.get(ChatController).calls.push({ body, trace: prose(${d.scale(300, 1500)}) }); return meta.get(ChatController).calls.length; } }
         meta.set(ChatController, { route: '/chat', calls: [] }); const controller = new ChatController();`,
        `await later(1); return { n: controller.run(request.body) };`,
      ),
  },
  'store-of-the-context': {
    holder: /events|store|context/i,
    body: (d) =>
      `const { AsyncLocalStorage } = await import('node:async_hooks'); const context = new AsyncLocalStorage(); context.enterWith({ release: '1.2', events: [] });
       ${hono('', `context.getStore()?.events.push({ at: new Date(), session: body.session, text: prose(${d.scale(300, 1500)}) }); await later(1); return c.json({ n: context.getStore()?.events.length ?? 0 });`)}`,
  },
  'frames-of-video': {
    holder: /clips|frames|Clip/i,
    body: (d) =>
      `${modules({
        'clips.mjs': `export class Clip { frames = []; add(frame) { this.frames.push(frame); } } const clips = { byRoom: new Map() }; export function clipOf(room) { let clip = clips.byRoom.get(room); if (!clip) clips.byRoom.set(room, (clip = new Clip())); return clip; }`,
      })}
       const { clipOf } = await import('./clips.mjs');
       ${hono('', `const clip = clipOf('room' + (body.session.length % 3)); clip.add(Buffer.alloc(${d.scale(9000, 30_000)}, 7)); await later(1); return c.json({ n: clip.frames.length });`)}`,
  },
};

const healthyOnes: Readonly<Record<string, Omit<Kind, 'holder'>>> = {
  'route-module-lru': {
    minSeconds: 100,
    body: (d) =>
      routed({
        'lib/pages.mjs': `const pages = new Map(); const most = ${d.whole(500, 2000)}; export function save(id, page) { pages.delete(id); pages.set(id, page); if (pages.size > most) pages.delete(pages.keys().next().value); return pages.size; }`,
        'routes/chat.mjs': `${random} import { save } from '../lib/pages.mjs'; export async function POST(body) { return { n: save(randomUUID(), { session: body.session, text: prose(${d.scale(300, 1500)}) }) }; }`,
      }),
  },
  'commonjs-module-ttl': {
    body: (d) =>
      `${modules({
        'answers.cjs': `${randomCjs} const answers = {}; const ttl = ${d.whole(4, 15)}000; exports.answer = function (question) { const key = question + randomUUID(); return (answers[key] = { key, at: Date.now(), text: prose(${d.scale(300, 1500)}) }); }; setInterval(() => { for (const key of Object.keys(answers)) if (Date.now() - answers[key].at > ttl) delete answers[key]; }, 1000).unref();`,
      })}
       const { answer } = createRequire(import.meta.url)('./answers.cjs');
       ${hono('', `await later(1); return c.json({ n: answer(body.session).text.length });`)}`,
  },
  'tools-decorated-on-first-use': {
    body: (d) =>
      `class ToolRegistry { static registry = new Map(); static of(name) { let tool = this.registry.get(name); if (!tool) this.registry.set(name, (tool = { name, schema: { text: prose(${d.scale(500, 3000)}) }, calls: 0 })); tool.calls++; return tool; } }
       ${fastify('', `const tool = ToolRegistry.of('tool' + Math.floor(${d.whole(60, 400)} * Math.random() ** 2)); await later(1); return { n: tool.calls };`)}`,
  },
  'generator-with-a-window': {
    body: (d) =>
      hono(
        `function* windowed(most) { const turns = []; for (;;) { const turn = yield turns.length; if (turn) turns.push(turn); if (turns.length > most) turns.shift(); } } const collector = windowed(${d.whole(200, 800)}); collector.next();`,
        `const { value } = collector.next({ role: 'user', text: prose(${d.scale(300, 1500)}) }); await later(1); return c.json({ n: value });`,
      ),
  },
  'promise-chain-that-lets-go': {
    body: (d) =>
      express(
        `let tail = Promise.resolve(); const enqueue = (job) => (tail = tail.then(async () => { await later(1); return { job, output: prose(${d.scale(300, 1500)}) }; }));`,
        `const done = await enqueue(req.body); res.json({ n: done.output.length });`,
      ),
  },
  'loop-with-a-batch': {
    minSeconds: 100,
    body: (d) => `told(1);
let batch = []; let flushed = 0;
for (let n = 0; ; n++) { await later(${d.whole(12, 20)}); batch.push({ n, output: prose(${d.scale(300, 1500)}) }); if (batch.length >= ${d.whole(150, 700)}) { flushed += batch.length; batch = []; } }
`,
  },
  'lru-by-hand-that-fills-late': {
    minSeconds: 130,
    body: (d) =>
      fastify(
        `class Lru { #map = new Map(); constructor(most) { this.most = most; } set(key, value) { this.#map.delete(key); this.#map.set(key, value); if (this.#map.size > this.most) this.#map.delete(this.#map.keys().next().value); return this.#map.size; } }
         const pages = new Lru(${d.whole(2200, 3400)});`,
        `const n = pages.set(randomUUID(), { html: prose(${d.scale(300, 1500)}) }); await later(1); return { n };`,
      ),
  },
  'sweep-every-so-often': {
    minSeconds: 110,
    body: (d) =>
      hono(
        `const jobs = new Map(); setInterval(() => { for (const [id, job] of jobs) if (job.state === 'done') jobs.delete(id); }, ${d.whole(8, 20)}_000).unref();`,
        `const job = { id: randomUUID(), state: 'running', input: prose(${d.scale(300, 1500)}) }; jobs.set(job.id, job); await later(2); job.state = 'done'; return c.json({ n: jobs.size });`,
      ),
  },
  'package-that-exports': {
    body: (d) =>
      `${modules({
        'node_modules/tiny-recorder/package.json': JSON.stringify({
          name: 'tiny-recorder',
          version: '1.4.2',
          type: 'module',
          exports: './index.js',
        }),
        'node_modules/tiny-recorder/index.js': `import { randomUUID } from 'node:crypto'; export class Recorder { #spans = []; #exporter; constructor(exporter) { this.#exporter = exporter; } span(name, data) { this.#spans.push({ id: randomUUID(), name, data, at: Date.now() }); if (this.#spans.length >= 512) { this.#exporter(this.#spans); this.#spans = []; } } get pending() { return this.#spans.length; } }`,
      })}
       const { Recorder } = await import('tiny-recorder'); let exported = 0; const recorder = new Recorder((spans) => { exported += spans.length; });
       ${express('', `recorder.span('chat', { session: req.body.session, prompt: prose(${d.scale(300, 1500)}) }); await later(1); res.json({ n: recorder.pending + exported });`)}`,
  },
  'state-by-request': {
    body: (d) =>
      fastify(
        `const meta = new WeakMap(); const noted = (request) => { let found = meta.get(request); if (!found) meta.set(request, (found = { calls: [] })); return found.calls; };`,
        `for (let i = 0; i < 4; i++) noted(request).push({ i, trace: prose(${d.scale(300, 1500)}) }); await later(${d.whole(2, 60)}); return { n: noted(request).length };`,
      ),
  },
  'contexts-by-request': {
    body: (d) =>
      `const { AsyncLocalStorage } = await import('node:async_hooks'); const context = new AsyncLocalStorage();
       ${hono('', `return await context.run({ events: [], session: body.session }, async () => { for (let i = 0; i < 5; i++) context.getStore().events.push(prose(${d.scale(300, 1500)})); await later(3); return c.json({ n: context.getStore().events.length }); });`)}`,
  },
  'frames-in-a-ring': {
    minSeconds: 100,
    body: (d) =>
      `${modules({
        'clips.mjs': `const most = ${d.whole(40, 160)}; export class Clip { frames = []; at = 0; add(frame) { this.frames[this.at++ % most] = frame; } } const clips = { byRoom: new Map() }; export function clipOf(room) { let clip = clips.byRoom.get(room); if (!clip) clips.byRoom.set(room, (clip = new Clip())); return clip; }`,
      })}
       const { clipOf } = await import('./clips.mjs');
       ${hono('', `const clip = clipOf('room' + (body.session.length % 3)); clip.add(Buffer.alloc(${d.scale(9000, 30_000)}, 7)); await later(1); return c.json({ n: clip.frames.length });`)}`,
  },
  'threads-cut-at-their-window': {
    minSeconds: 130,
    load: { sessions: 20, newSession: 0 },
    body: (d) =>
      express(
        `const threads = new Map(); const most = ${d.whole(40, 90)};`,
        `let thread = threads.get(req.body.session); if (!thread) threads.set(req.body.session, (thread = { messages: [] })); thread.messages.push({ role: 'assistant', content: prose(${d.scale(300, 1500)}) }); if (thread.messages.length > most) thread.messages.shift(); await later(2); res.json({ n: thread.messages.length });`,
      ),
  },
};

/** Every program of these kinds, by a seed. */
export function builds(seed: number): readonly Program[] {
  return Object.entries({ ...leaks, ...healthyOnes }).map(([name, kind]) =>
    programOf(name, kind, seed, head),
  );
}
