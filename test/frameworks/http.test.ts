import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

interface Tree {
  readonly opened: readonly string[];
  readonly answers: readonly string[];
  readonly failed: number;
  readonly open: readonly string[];
}

const hash = (id: string): string => createHash('sha256').update(id).digest('base64url').slice(0, 10);
const policy = `sessions: { from: [${['header:x-session-id', 'cookie:sid', 'query:sessionId', 'path:/chats/:id', 'body:threadId'].map((place) => `"${place}"`).join(', ')}] }\n`;

test.each(['express 4', 'express 5', 'fastify 5', 'hono 4'])(
  '%s: agents are in their requests and sessions, all closed after a reader that leaves, an error and a client that gives up',
  async (name) => {
    const told = await result<Record<string, Tree>>('http-tree.cjs', { args: [name], policy });
    const { opened, answers, failed, open } = told[name] as Tree;
    const one = `process/session:${hash('one')}`;
    const four = `process/session:${hash('four')}`;
    const planner = 'agent:planner';
    const three = 'process/session:three/request:GET chats.three';
    expect(opened).toEqual([
      one,
      `${one}/request:POST chat`,
      `${one}/request:POST chat/${planner}`,
      // The session in a body is known when the body has come.
      'process/request:POST chat',
      'process/session:two',
      `process/session:two/${planner}`,
      'process/session:three',
      three,
      `${three}/${planner}`,
      `${one}/request:GET fails`,
      four,
      `${four}/request:GET events`,
      `${four}/request:GET events/agent:streamer`,
      'process/request:GET slow',
      // Work that begins when its client has gone is nobody's request.
      'process/agent:late',
    ]);
    const model = 'stage:step/stage:model';
    expect(answers).toEqual([
      `${one}/request:POST chat/${planner}/${model}`,
      `process/session:two/${planner}/${model}`,
      `${three}/${planner}/${model}`,
      `${four}/request:GET events/agent:streamer/${model}`,
    ]);
    expect(failed).toBe(500);
    expect(open).toEqual(['process', one, 'process/session:two', 'process/session:three', four]);
  },
);
