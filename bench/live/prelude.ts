/** The server that every program of this benchmark is built on: an agent server with sessions, JSON bodies and a streamed mock model. */
export const prelude = `
import http from 'node:http';
import { EventEmitter } from 'node:events';
import { randomUUID } from 'node:crypto';

const started = Date.now();
const seconds = () => (Date.now() - started) / 1000;
const words = 'the agent reads a page and writes down what it learnt about harbours ships loads lines and tides'.split(' ');
let seed = 1;
const random = () => ((seed = (seed * 1664525 + 1013904223) % 4294967296) / 4294967296);
const text = (bytes) => { let out = ''; while (out.length < bytes) out += words[Math.floor(random() * words.length)] + ' ' + Math.floor(random() * 1e6) + ' '; return out; };
const message = (bytes) => ({ id: randomUUID(), role: random() < 0.5 ? 'user' : 'assistant', content: text(bytes), at: Date.now(), usage: { input: 12, output: 30 } });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function* model(prompt) {
  for (let i = 0; i < 6; i++) { await pause(1); yield { type: 'delta', text: prompt.slice(i * 20, i * 20 + 40) + i }; }
}
async function answer(prompt) {
  let out = '';
  for await (const part of model(prompt)) out += part.text;
  return out;
}
async function bodyOf(request) {
  let out = '';
  for await (const chunk of request) out += chunk;
  return out === '' ? {} : JSON.parse(out);
}
/** handle(body, request, response) answers with a value that is sent as JSON. */
function serve(handle, onListen = () => {}) {
  const server = http.createServer(async (request, response) => {
    if (request.url === '/health') return void response.end('ok');
    try {
      const body = await bodyOf(request);
      const value = await handle(body, request, response);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(value ?? { ok: true }));
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  });
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
    console.log('listening on ' + server.address().port);
    onListen(server);
  });
  return server;
}
`;
