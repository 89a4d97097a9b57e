/** Programs that do not leak and that no rule was made on: windows, pools, rebuilt tables, caches that evict late. */
import type { Kind } from './program.ts';

type HealthyKind = Omit<Kind, 'holder'>;

export const otherHealthy: Readonly<Record<string, HealthyKind>> = {
  'rate-limiter': {
    load: { sessions: 300, newSession: 0 },
    body: (d) => `
      const windows = new Map();
      serve(async (body) => {
        const now = Date.now();
        const stamps = (windows.get(body.session) ?? []).filter((at) => now - at.at < ${d.whole(8, 20)} * 1000);
        stamps.push({ at: now, note: text(${d.scale(60, 300)}) });
        windows.set(body.session, stamps);
        return { text: await answer(body.text), used: stamps.length };
      });`,
  },
  'report-rebuilt': {
    body: (d) => `
      let report = [];
      setInterval(() => { report = Array.from({ length: ${d.whole(500, 3000)} + Math.floor(random() * 500) }, () => message(600)); }, ${d.whole(7, 15)} * 1000).unref();
      serve(async (body) => ({ text: await answer(body.text), rows: report.length }));`,
  },
  'pattern-cache': {
    minSeconds: 110,
    body: (d) => `
      const patterns = new Map();
      const known = ${d.whole(100, 400)};
      serve(async (body) => {
        const key = Math.floor(random() * known);
        if (!patterns.has(key)) patterns.set(key, { pattern: new RegExp('(' + key + '|' + text(200).trim().replaceAll(' ', '|') + ')+'), examples: Array.from({ length: 10 }, () => text(200)) });
        return { text: await answer(body.text), hit: patterns.get(key).pattern.test(body.text) };
      });`,
  },
  'connection-pool': {
    load: { rampS: 50 },
    minSeconds: 110,
    body: (d) => `
      const pool = { idle: [], made: 0 };
      const most = ${d.whole(20, 60)};
      const take = async () => { for (;;) { const one = pool.idle.pop(); if (one !== undefined) return one; if (pool.made < most) { pool.made++; return { buffer: new Array(${d.scale(2000, 8000)}).fill(0).map((_, i) => ({ i })) }; } await pause(2); } };
      serve(async (body) => {
        const connection = await take();
        try { await pause(${d.whole(20, 200)}); return { text: await answer(body.text) }; } finally { pool.idle.push(connection); }
      });`,
  },
  'dedupe-rotating': {
    body: (d) => `
      let current = new Set(), previous = new Set();
      setInterval(() => { previous = current; current = new Set(); }, ${d.whole(10, 20)} * 1000).unref();
      serve(async (body) => {
        for (let i = 0; i < ${d.whole(5, 20)}; i++) current.add(randomUUID());
        return { text: await answer(body.text), seen: previous.size + current.size };
      });`,
  },
  'late-eviction': {
    minSeconds: 120,
    body: (d) => `
      const cache = new Map();
      let sets = 0;
      serve(async (body) => {
        cache.set(randomUUID(), { value: message(${d.scale(500, 2000)}), until: Date.now() + ${d.whole(5, 12)} * 1000 });
        if (++sets % ${d.whole(300, 700)} === 0) for (const [key, item] of cache) if (item.until < Date.now()) cache.delete(key);
        return { text: await answer(body.text) };
      });`,
  },
  'linked-lru': {
    minSeconds: 110,
    body: (d) => `
      const most = ${d.whole(400, 1200)};
      const items = new Map();
      let newest, oldest;
      const put = (key, value) => {
        const node = { key, value, older: newest, newer: undefined };
        if (newest) newest.newer = node; else oldest = node;
        newest = node;
        items.set(key, node);
        if (items.size > most) { const gone = oldest; oldest = gone.newer; oldest.older = undefined; items.delete(gone.key); }
      };
      serve(async (body) => { put(randomUUID(), message(${d.scale(500, 2500)})); return { text: await answer(body.text) }; });`,
  },
  'big-parse-once': {
    minSeconds: 100,
    body: (d) => `
      let catalogue;
      serve(async (body) => {
        if (catalogue === undefined && seconds() > ${d.whole(25, 45)}) catalogue = JSON.parse(JSON.stringify(Array.from({ length: ${d.whole(5000, 12000)} }, () => message(500))));
        return { text: await answer(body.text), size: catalogue?.length ?? 0 };
      });`,
  },
  'sessions-come-and-go': {
    load: { sessions: 120, newSession: 0.3 },
    minSeconds: 120,
    body: (d) => `
      const sessions = new Map();
      setInterval(() => { const now = Date.now(); for (const [id, one] of sessions) if (now - one.at > ${d.whole(10, 25)} * 1000) sessions.delete(id); }, 1000).unref();
      serve(async (body) => {
        const session = sessions.get(body.session) ?? { messages: [], at: 0 };
        sessions.set(body.session, session);
        session.at = Date.now();
        session.messages.push(message(${d.scale(300, 1500)}));
        return { text: await answer(body.text), turns: session.messages.length };
      });`,
  },
  'stream-with-reader': {
    body: (d) => `
      import { PassThrough } from 'node:stream';
      const exporter = new PassThrough({ objectMode: true, highWaterMark: 500 });
      exporter.on('data', () => {});
      serve(async (body) => {
        exporter.write({ span: randomUUID(), attributes: message(${d.scale(300, 2000)}) });
        return { text: await answer(body.text) };
      });`,
  },
  'load-in-two-halves': {
    minSeconds: 120,
    load: { burstS: 40, rate: 25 },
    body: (d) => `
      const recent = new Map();
      serve(async (body) => {
        recent.set(body.session, message(${d.scale(500, 3000)}));
        if (recent.size > ${d.whole(100, 400)}) recent.delete(recent.keys().next().value);
        return { text: await answer(body.text) };
      });`,
  },
  'lookup-fills-evenly': {
    minSeconds: 130,
    body: (d) => `
      const table = [];
      const most = ${d.whole(1200, 2000)};
      serve(async (body) => {
        if (table.length < most) table.push(message(${d.scale(400, 1500)}));
        return { text: await answer(body.text), row: table[Math.floor(random() * table.length)].id };
      });`,
  },
};
