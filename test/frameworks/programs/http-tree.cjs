// One chat server per web framework: agents inside sessions that are named by header, cookie, path and body, a client that leaves an event
// stream, a handler that throws, and a client that gives up. Prints per framework what was opened, what the handlers ran in, and what is open.
const { once } = require('node:events');
const { createServer, get, request } = require('node:http');
const { subscribe } = require('node:diagnostics_channel');

const slots = () => globalThis[Symbol.for('plimsoll.slots.v1')];
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const current = () => slots().scopes.currentScope().path;
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

const gone = (response) => new Promise((done) => response.once('close', done));

/** What every handler does: an agent that answers. */
async function agent(name) {
  const { generateText } = await import('ai');
  const { MockLanguageModelV4 } = await import('ai/test');
  const doGenerate = async () => ({
    content: [{ type: 'text', text: current() }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage,
    warnings: [],
  });
  const model = new MockLanguageModelV4({ doGenerate });
  const { text } = await generateText({ model, prompt: 'p', telemetry: { functionId: name } });
  return text;
}
async function stream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${await agent('streamer')}\n\n`);
}

/** The routes of a server in the style of Express. */
function routes(app, json) {
  app.use(json());
  app.post('/chat', async (_request, response) => response.end(await agent('planner')));
  app.get('/chats/:id', async (_request, response) => response.end(await agent('planner')));
  app.get('/events', (_request, response) => void stream(response));
  app.get('/fails', () => {
    throw new Error('planned');
  });
  app.get('/slow', (_request, response) => void gone(response).then(() => agent('late')));
  app.use((_error, _request, response, _next) => response.status(500).end());
  return app;
}

const frameworks = {
  async 'express 4'() {
    const express = require('express');
    return createServer(routes(express(), express.json));
  },
  async 'express 5'() {
    const express = require('express-5');
    return createServer(routes(express(), express.json));
  },
  async 'fastify 5'() {
    const app = require('fastify')();
    app.post('/chat', async () => agent('planner'));
    app.get('/chats/:id', async () => agent('planner'));
    app.get('/events', (_request, reply) => (reply.hijack(), void stream(reply.raw)));
    app.get('/fails', async () => {
      throw new Error('planned');
    });
    app.get('/slow', (_request, reply) => (reply.hijack(), void gone(reply.raw).then(() => agent('late'))));
    await app.ready();
    return app.server;
  },
  async 'hono 4'() {
    const { Hono } = require('hono');
    const { streamSSE } = require('hono/streaming');
    const { createAdaptorServer } = require('@hono/node-server');
    const app = new Hono();
    app.post('/chat', async (context) => (await context.req.json(), context.text(await agent('planner'))));
    app.get('/chats/:id', async (context) => context.text(await agent('planner')));
    app.get('/events', (context) =>
      streamSSE(context, async (events) => {
        await events.writeSSE({ data: await agent('streamer') });
        await new Promise((done) => events.onAbort(done));
      }),
    );
    app.get('/fails', () => {
      throw new Error('planned');
    });
    app.get('/slow', async (context) => {
      await gone(context.env.outgoing);
      await agent('late');
      return context.text('');
    });
    app.onError((_error, context) => context.body(null, 500));
    return createAdaptorServer(app);
  },
};

async function drive(server) {
  const opened = [];
  const listen = (scope) => opened.push(scope.path);
  subscribe('plimsoll:scope.open', listen);
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${server.address().port}`;
  const answers = [];
  const ask = async (path, options) => answers.push(await (await fetch(base + path, options)).text());
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  await ask('/chat', { ...post, headers: { ...post.headers, 'x-session-id': 'one' }, body: '{}' });
  await ask('/chat', { ...post, body: '{"threadId":"two"}' });
  await ask('/chats/three');
  const failed = (await fetch(`${base}/fails`, { headers: { cookie: 'sid=one' } })).status;
  // A reader that leaves, and a client that gives up before anything was said.
  const reading = get(`${base}/events?sessionId=four`);
  const [response] = await once(reading, 'response');
  const [event] = await once(response, 'data');
  answers.push(String(event).trim().replace('data: ', ''));
  reading.destroy();
  const slow = request(`${base}/slow`).end();
  slow.once('error', () => undefined);
  while (!opened.some((path) => path.endsWith('request:GET slow'))) await sleep(5);
  await sleep(20);
  slow.destroy();
  while (!opened.some((path) => path.endsWith('agent:late/stage:step/stage:model'))) await sleep(5);
  const open = () => [...slots().scopes.roster.open].map(({ path }) => path);
  for (let i = 0; i < 1000 && open().some((path) => /request:|agent:/.test(path)); i += 1) await sleep(10);
  server.close();
  server.closeAllConnections();
  return { opened: opened.filter((path) => !path.includes('stage:')), answers, failed, open: open() };
}

(async () => {
  while (!slots()?.frameworks?.connected.has('ai')) await sleep(10);
  await agent('warm');
  const told = {};
  for (const name of process.argv.slice(2)) told[name] = await drive(await frameworks[name]());
  console.log(JSON.stringify(told));
  process.exit(0);
})();
