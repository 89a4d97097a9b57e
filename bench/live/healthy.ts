/** Programs that do not leak and look as if they did, one kind each; a seed varies sizes, rates and moments. */
import { otherHealthy } from './healthy-other.ts';
import { programOf, type Kind, type Program } from './program.ts';
import { prelude } from './prelude.ts';

const kinds: Readonly<Record<string, Omit<Kind, 'holder'>>> = {
  'bounded-map': {
    body: (d) => `
      const cache = new Map();
      serve(async (body) => {
        cache.set(randomUUID(), message(${d.scale(1000, 6000)}));
        if (cache.size > ${d.whole(300, 1200)}) cache.delete(cache.keys().next().value);
        return { text: await answer(body.text) };
      });`,
  },
  'lru-class': {
    minSeconds: 120,
    body: (d) => `
      class Lru {
        #items = new Map();
        constructor(max) { this.max = max; }
        get(key) { const item = this.#items.get(key); if (item !== undefined) { this.#items.delete(key); this.#items.set(key, item); } return item; }
        set(key, item) { this.#items.set(key, item); if (this.#items.size > this.max) this.#items.delete(this.#items.keys().next().value); }
      }
      const pages = new Lru(${d.whole(1000, 2200)});
      serve(async (body) => {
        const key = Math.floor(random() * 20000);
        if (pages.get(key) === undefined) pages.set(key, message(${d.scale(800, 3000)}));
        return { text: await answer(body.text) };
      });`,
  },
  'ttl-cache': {
    minSeconds: 110,
    body: (d) => `
      const cache = new Map();
      const ttl = ${d.whole(15, 35)} * 1000;
      setInterval(() => { const now = Date.now(); for (const [key, item] of cache) if (now - item.at > ttl) cache.delete(key); else break; }, 1000).unref();
      serve(async (body) => {
        cache.set(randomUUID(), message(${d.scale(800, 3000)}));
        return { text: await answer(body.text) };
      });`,
  },
  'sessions-ramp': {
    minSeconds: 110,
    load: { rampS: 45, sessions: 150, newSession: 0 },
    body: (d) => `
      const sessions = new Map();
      serve(async (body) => {
        const session = sessions.get(body.session) ?? { id: body.session, messages: [] };
        sessions.set(body.session, session);
        session.messages.push(message(${d.scale(200, 900)}));
        if (session.messages.length > 5) session.messages.shift();
        return { text: await answer(body.text) };
      });`,
  },
  templates: {
    minSeconds: 100,
    body: (d) => `
      const compiled = new Map();
      const template = (id) => {
        let run = compiled.get(id);
        if (run === undefined) compiled.set(id, (run = new Function('data', 'const parts = []; ' + Array.from({ length: ${d.whole(20, 80)} }, (_, i) => 'parts.push("' + text(60).replaceAll('"', '') + '" + data.v' + i + ');').join(' ') + ' return parts.join("");')));
        return run;
      };
      serve(async (body) => {
        const size = Math.min(${d.whole(150, 300)}, Math.floor(20 + seconds() * 6));
        return { text: await answer(body.text), page: template(Math.floor(random() * size))({ v1: 1 }).length };
      });`,
  },
  churn: {
    body: (d) => `
      serve(async (body) => {
        const work = Array.from({ length: 20 }, () => message(${d.scale(300, 2000)}));
        return { text: await answer(body.text), size: JSON.stringify(work).length };
      });`,
  },
  'batch-flush': {
    body: (d) => `
      let batch = [];
      setInterval(() => { batch = []; }, ${d.whole(8, 20)} * 1000).unref();
      serve(async (body) => {
        batch.push(message(${d.scale(500, 4000)}));
        return { text: await answer(body.text) };
      });`,
  },
  'lazy-tables': {
    minSeconds: 100,
    body: (d) => `
      const tables = {};
      serve(async (body) => {
        const name = 't' + Math.min(${d.whole(25, 60)}, Math.floor(seconds() * random()));
        tables[name] ??= Array.from({ length: ${d.scale(200, 800)} }, (_, i) => ({ i, label: text(40) }));
        return { text: await answer(body.text), rows: tables[name].length };
      });`,
  },
  'object-pool': {
    load: { burstS: 20 },
    body: (d) => `
      const free = [];
      const take = () => free.pop() ?? { scratch: new Array(${d.scale(500, 3000)}).fill(0).map((_, i) => ({ i })) };
      serve(async (body) => {
        const item = take();
        try { return { text: await answer(body.text) }; } finally { free.push(item); }
      });`,
  },
  'history-window': {
    body: (d) => `
      const agent = { history: [] };
      serve(async (body) => {
        agent.history.push(message(${d.scale(500, 3000)}));
        if (agent.history.length > ${d.whole(100, 600)}) agent.history.splice(0, 20);
        return { text: await answer(body.text) };
      });`,
  },
  'memo-table': {
    minSeconds: 110,
    body: (d) => `
      const memo = new Map();
      const keys = ${d.whole(400, 1200)};
      serve(async (body) => {
        const key = Math.floor(keys * random() ** 2);
        let value = memo.get(key);
        if (value === undefined) memo.set(key, (value = message(${d.scale(800, 4000)})));
        return { text: await answer(body.text), id: value.id };
      });`,
  },
  'buffer-ring': {
    body: (d) => `
      const ring = new Array(${d.whole(100, 400)});
      let next = 0;
      serve(async (body) => {
        ring[next++ % ring.length] = Buffer.from(text(${d.scale(4000, 30000)}));
        return { text: await answer(body.text) };
      });`,
  },
  'config-step': {
    minSeconds: 100,
    body: (d) => `
      let config = Array.from({ length: 500 }, () => message(200));
      setTimeout(() => { config = Array.from({ length: ${d.whole(4000, 9000)} }, () => message(800)); }, ${d.whole(30, 55)} * 1000).unref();
      serve(async (body) => ({ text: await answer(body.text), rules: config.length }));`,
  },
  'big-start': {
    body: (d) => `
      const corpus = Array.from({ length: ${d.whole(8000, 20000)} }, () => message(1500));
      serve(async (body) => ({ text: await answer(body.text), hit: corpus[Math.floor(random() * corpus.length)].id }));`,
  },
  'load-up-and-down': {
    minSeconds: 110,
    load: { rampS: 40, untilS: 85, sessions: 300, newSession: 0.05 },
    body: (d) => `
      const sessions = new Map();
      setInterval(() => { for (const [id, session] of sessions) if (Date.now() - session.at > 20_000) sessions.delete(id); }, 2000).unref();
      serve(async (body) => {
        const session = sessions.get(body.session) ?? { messages: [], at: 0 };
        sessions.set(body.session, session);
        session.at = Date.now();
        session.messages.push(message(${d.scale(300, 1500)}));
        if (session.messages.length > 10) session.messages.shift();
        return { text: await answer(body.text) };
      });`,
  },
  'keep-alive': {
    load: { sessions: 200, rampS: 30 },
    body: (d) => `
      const perSocket = new WeakMap();
      serve(async (body, request) => {
        const state = perSocket.get(request.socket) ?? { seen: 0, notes: [] };
        perSocket.set(request.socket, state);
        state.notes.push(text(${d.scale(100, 600)}));
        if (state.notes.length > 20) state.notes.shift();
        return { text: await answer(body.text) };
      });`,
  },
  'cluster-healthy': {
    body: (d) => `
      import cluster from 'node:cluster';
      if (cluster.isPrimary) {
        cluster.fork();
        process.on('SIGTERM', () => process.exit(0));
      } else {
        const cache = new Map();
        serve(async (body) => {
          cache.set(randomUUID(), message(${d.scale(800, 3000)}));
          if (cache.size > 500) cache.delete(cache.keys().next().value);
          return { text: await answer(body.text) };
        });
      }`,
  },
  'worker-healthy': {
    body: (d) => `
      import { Worker, isMainThread, parentPort } from 'node:worker_threads';
      if (isMainThread) {
        const worker = new Worker(new URL(import.meta.url));
        serve(async (body) => { worker.postMessage(body); return { text: await answer(body.text) }; });
      } else {
        const last = [];
        parentPort.on('message', (body) => { last.push(message(${d.scale(800, 3000)})); if (last.length > 300) last.shift(); });
      }`,
  },
  'values-that-grow': {
    minSeconds: 120,
    body: (d) => `
      const slots = Array.from({ length: ${d.whole(300, 900)} }, () => ({ text: '' }));
      serve(async (body) => {
        const slot = slots[Math.floor(random() * slots.length)];
        if (slot.text.length < ${d.scale(3000, 9000)}) slot.text = text(slot.text.length + 1500);
        return { text: await answer(body.text) };
      });`,
  },
  'in-flight-bursts': {
    load: { burstS: 12 },
    body: (d) => `
      serve(async (body) => {
        const context = Array.from({ length: 30 }, () => message(${d.scale(300, 1500)}));
        await pause(${d.whole(100, 900)});
        return { text: await answer(body.text), size: context.length };
      });`,
  },
  'late-fill': {
    minSeconds: 150,
    body: (d) => `
      const index = new Map();
      serve(async (body) => {
        if (seconds() > 20 && index.size < ${d.whole(1200, 2200)}) index.set(randomUUID(), message(${d.scale(800, 2500)}));
        return { text: await answer(body.text) };
      });`,
  },
  'generation-cache': {
    minSeconds: 110,
    body: (d) => `
      let young = new Map(), old = new Map();
      serve(async (body) => {
        young.set(randomUUID(), message(${d.scale(800, 3000)}));
        if (young.size > ${d.whole(250, 600)}) { old = young; young = new Map(); }
        return { text: await answer(body.text), size: young.size + old.size };
      });`,
  },
  ...otherHealthy,
};

export const healthyNames: readonly string[] = Object.keys(kinds);

/** The healthy program of a kind, as a seed makes it. */
export function healthy(name: string, seed: number): Program {
  return programOf(name, kinds[name] as Omit<Kind, 'holder'>, seed, prelude);
}
