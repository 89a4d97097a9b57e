/**
 * Servers on the frameworks themselves, with models that answer from memory: most of what such a server allocates is the framework's, and
 * little of it stays. They run where the program can load the frameworks, so that the adapters are connected:
 * `npm run bench -- live frameworks [idle|busy] [NAME]...`.
 */
import { programOf, type Kind, type Program } from './program.ts';

const head = `
import { createServer } from 'node:http';
import { randomBytes, randomUUID } from 'node:crypto';
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const prose = (bytes) => randomBytes(Math.ceil(bytes / 2)).toString('hex');
const serve = (chat) => {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part) => (text += part)).once('end', () => {
      chat(JSON.parse(text), response).then((answer) => response.end(JSON.stringify(answer ?? {})), (error) => response.writeHead(500).end(String(error)));
    });
  }).listen(0, '127.0.0.1', () => console.log('listening on ' + server.address().port));
};
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const stop = { unified: 'stop', raw: 'stop' };
`;

/** A model of the AI SDK that says so many words, with the calls that it records taken away. */
const aiModel = (words: number): string => `
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
const said = () => Array.from({ length: ${words} }, () => prose(6)).join(' ');
const model = new MockLanguageModelV4({
  doGenerate: async () => { model.doGenerateCalls.length = 0; await later(2); return { content: [{ type: 'text', text: said() }], finishReason: stop, usage, warnings: [] }; },
  doStream: async () => {
    model.doStreamCalls.length = 0;
    const deltas = said().split(' ').map((delta) => ({ type: 'text-delta', id: '1', delta: delta + ' ' }));
    return { stream: simulateReadableStream({ initialDelayInMs: 1, chunkDelayInMs: null, chunks: [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: '1' }, ...deltas, { type: 'text-end', id: '1' }, { type: 'finish', finishReason: stop, usage }] }) };
  },
});
`;

const graph = (compile: string, state: string, node: string): string => `
import { Annotation, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
const saver = new MemorySaver();
const graph = new StateGraph(Annotation.Root({ ${state} })).addNode('say', async (state) => { await later(1); ${node} }).addEdge(START, 'say').addEdge('say', END).compile(${compile});
`;

const openAi = (words: number): string => `
import { Agent, MemorySession, Runner, setTraceProcessors, Usage } from '@openai/agents';
setTraceProcessors([]);
const answering = { getResponse: async () => { await later(1); return { usage: new Usage(), responseId: randomUUID(), output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: prose(${words * 6}) }] }] }; } };
const helper = new Agent({ name: 'helper', model: answering });
`;

const mastra = `
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
`;

const leaks: Readonly<Record<string, Kind>> = {
  'ai-sessions': {
    holder: /sessions/,
    body: (d) => `${aiModel(d.whole(20, 60))}
import { streamText } from 'ai';
const sessions = new Map();
serve(async ({ session, text }) => {
  let state = sessions.get(session); if (!state) sessions.set(session, (state = { turns: [] }));
  let out = ''; for await (const part of streamText({ model, prompt: text }).textStream) out += part;
  state.turns.push({ at: new Date(), out }); return { turns: state.turns.length };
});`,
  },
  'ai-readers-leave': {
    holder: /chats|sessions/,
    body: (d) => `${aiModel(d.whole(30, 60))}
import { streamText } from 'ai';
const shutdown = new AbortController(); const chats = {};
serve(async ({ session, text }) => {
  let out = ''; for await (const part of streamText({ model, prompt: text, abortSignal: shutdown.signal, onError() {} }).textStream) { out += part; if (Math.random() < 0.1) break; }
  (chats[session] ??= []).push({ text, out }); return { chats: Object.keys(chats).length };
});`,
  },
  'ai-threads': {
    holder: /threads|messages/,
    minSeconds: 100,
    load: { sessions: 25, newSession: 0 },
    body: (d) => `${aiModel(d.whole(20, 80))}
import { generateText } from 'ai';
const threads = new Map();
serve(async ({ session, text }) => {
  let messages = threads.get(session); if (!messages) threads.set(session, (messages = []));
  messages.push({ role: 'user', content: text });
  const { text: answer } = await generateText({ model, messages: messages.slice(-8) });
  messages.push({ role: 'assistant', content: answer }); return { n: messages.length };
});`,
  },
  'ai-tool-cache': {
    holder: /found|cache|memo/,
    body: (d) => `${aiModel(20)}
import { generateText } from 'ai';
class Search { #found = new Map(); async ask(query) { if (!this.#found.has(query)) this.#found.set(query, { query, at: Date.now(), pages: [prose(${d.scale(200, 1200)})] }); return this.#found.get(query); } }
const search = new Search();
serve(async ({ session, text }) => { const { pages } = await search.ask(session + text.slice(0, 20) + Math.random()); const { text: answer } = await generateText({ model, prompt: text + pages[0] }); return { answer }; });`,
  },
  'graph-checkpoints': {
    holder: /MemorySaver|saver|storage|writes/,
    body: (
      d,
    ) => `${graph('{ checkpointer: saver }', 'text: Annotation(), notes: Annotation()', `return { notes: prose(${d.scale(300, 1500)}) };`)}
serve(async ({ session, text }) => { await graph.invoke({ text, notes: '' }, { configurable: { thread_id: session } }); return {}; });`,
  },
  'graph-runs': {
    holder: /runs/,
    body: (
      d,
    ) => `${graph('', 'text: Annotation(), notes: Annotation()', `return { notes: prose(${d.scale(300, 1500)}) };`)}
const runs = [];
serve(async ({ session, text }) => { runs.push({ id: randomUUID(), session, state: await graph.invoke({ text, notes: '' }, { configurable: { thread_id: session } }) }); return { n: runs.length }; });`,
  },
  'agents-results': {
    holder: /results/,
    body: (d) => `${openAi(d.whole(20, 60))}
const results = new Map();
serve(async ({ session, text }) => { results.set(randomUUID(), await new Runner({ groupId: session }).run(helper, text)); return { n: results.size }; });`,
  },
  'agents-memory-sessions': {
    holder: /memories|MemorySession|items/,
    body: (d) => `${openAi(d.whole(20, 60))}
const memories = new Map();
serve(async ({ session, text }) => { let memory = memories.get(session); if (!memory) memories.set(session, (memory = new MemorySession({ sessionId: session }))); await new Runner({ groupId: session }).run(helper, text, { session: memory }); return { n: memories.size }; });`,
  },
  'mastra-agent-per-session': {
    holder: /helpers|Agent/,
    body: (d) => `${aiModel(d.whole(20, 60))}${mastra}
const helpers = new Map();
serve(async ({ session, text }) => { let helper = helpers.get(session); if (!helper) helpers.set(session, (helper = new Agent({ id: session, name: session, instructions: prose(2000), model }))); const { text: answer } = await helper.generate(text); return { answer }; });`,
  },
  'mastra-outputs': {
    holder: /outputs|done/,
    body: (d) => `${aiModel(d.whole(20, 60))}${mastra}
const mastra = new Mastra({ logger: false, agents: { helper: new Agent({ id: 'helper', name: 'helper', instructions: 'Help.', model }) } }); const outputs = [];
serve(async ({ text }) => { const output = await mastra.getAgent('helper').generate(text); if (Math.random() < ${(d.whole(20, 60) / 100).toFixed(2)}) outputs.push({ id: randomUUID(), text: output.text, steps: output.steps }); return { n: outputs.length }; });`,
  },
};

const healthy: Readonly<Record<string, Omit<Kind, 'holder'>>> = {
  'ai-stateless': {
    body: (d) => `${aiModel(d.whole(20, 60))}
import { streamText } from 'ai';
serve(async ({ text }) => { let out = ''; for await (const part of streamText({ model, prompt: text }).textStream) out += part; return { out }; });`,
  },
  'ai-readers-leave-own-signal': {
    body: (d) => `${aiModel(d.whole(30, 60))}
import { streamText } from 'ai';
serve(async ({ text }) => { const ending = new AbortController(); let out = ''; for await (const part of streamText({ model, prompt: text, abortSignal: ending.signal, onError() {} }).textStream) { out += part; if (Math.random() < 0.1) break; } ending.abort(); return { out }; });`,
  },
  'ai-bounded-sessions': {
    minSeconds: 110,
    body: (d) => `${aiModel(d.whole(20, 60))}
import { streamText } from 'ai';
const sessions = new Map();
serve(async ({ session, text }) => {
  let state = sessions.get(session) ?? { turns: [] }; sessions.delete(session); sessions.set(session, state); if (sessions.size > ${d.whole(100, 300)}) sessions.delete(sessions.keys().next().value);
  let out = ''; for await (const part of streamText({ model, prompt: text }).textStream) out += part;
  state.turns.push({ at: new Date(), out }); if (state.turns.length > 20) state.turns.shift(); return { turns: state.turns.length };
});`,
  },
  'ai-windows': {
    minSeconds: 110,
    load: { sessions: 30, newSession: 0 },
    body: (d) => `${aiModel(d.whole(20, 60))}
import { generateText } from 'ai';
const threads = new Map();
serve(async ({ session, text }) => {
  let messages = threads.get(session); if (!messages) threads.set(session, (messages = []));
  messages.push({ role: 'user', content: text }); const { text: answer } = await generateText({ model, messages });
  messages.push({ role: 'assistant', content: answer }); messages.splice(0, Math.max(0, messages.length - ${d.whole(10, 24)})); return {};
});`,
  },
  'graph-stateless': {
    body: (
      d,
    ) => `${graph('', 'text: Annotation(), notes: Annotation()', `return { notes: prose(${d.scale(300, 3000)}) };`)}
serve(async ({ session, text }) => graph.invoke({ text, notes: '' }, { configurable: { thread_id: session } }));`,
  },
  'graph-threads-deleted': {
    body: (
      d,
    ) => `${graph('{ checkpointer: saver }', 'text: Annotation(), notes: Annotation()', `return { notes: prose(${d.scale(300, 1500)}) };`)}
const turns = new Map();
serve(async ({ session, text }) => { await graph.invoke({ text, notes: '' }, { configurable: { thread_id: session } }); const n = (turns.get(session) ?? 0) + 1; turns.set(session, n); if (n > 4) { turns.delete(session); await saver.deleteThread(session); } if (turns.size > 60) { const oldest = turns.keys().next().value; turns.delete(oldest); await saver.deleteThread(oldest); } return {}; });`,
  },
  'agents-stateless': {
    body: (d) => `${openAi(d.whole(20, 60))}
serve(async ({ session, text }) => { const { finalOutput } = await new Runner({ groupId: session }).run(helper, text); return { finalOutput }; });`,
  },
  'agents-last-results': {
    minSeconds: 110,
    body: (d) => `${openAi(d.whole(20, 60))}
const last = [];
serve(async ({ session, text }) => { last.push(await new Runner({ groupId: session }).run(helper, text)); if (last.length > ${d.whole(50, 200)}) last.shift(); return { n: last.length }; });`,
  },
  'mastra-stateless': {
    body: (d) => `${aiModel(d.whole(20, 60))}${mastra}
const mastra = new Mastra({ logger: false, agents: { helper: new Agent({ id: 'helper', name: 'helper', instructions: 'Help.', model }) } });
serve(async ({ text }) => { const output = await mastra.getAgent('helper').stream(text); let out = ''; for await (const part of output.textStream) out += part; return { out }; });`,
  },
  'mastra-agent-per-request': {
    body: (d) => `${aiModel(d.whole(20, 60))}${mastra}
serve(async ({ session, text }) => { const helper = new Agent({ id: session, name: session, instructions: prose(500), model }); const { text: answer } = await helper.generate(text); return { answer }; });`,
  },
};

/** All programs of this set, as a seed makes them. */
export function frameworks(seed: number): readonly Program[] {
  return Object.entries({ ...leaks, ...healthy }).map(([name, kind]) => ({
    ...programOf(name, kind, seed, head),
    usesFrameworks: true,
  }));
}
