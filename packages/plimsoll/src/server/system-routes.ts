import { isPlimsollError } from '@plimsoll/core';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { Answer } from './route.ts';
import type { Route, RouteContext } from './route.ts';

/** A process without a frame for this long is not ready. Its loop is blocked, or it has ended. */
const staleMs = 10_000;

/** Writes metrics for a frame. */
export type MetricsText = (context: RouteContext) => Promise<string>;

/** Routes for monitoring and load balancers. */
export function systemRoutes(metrics: MetricsText, describe: () => object): readonly Route[] {
  return [
    {
      method: 'get',
      path: '/healthz',
      summary: 'This server lives',
      access: 'open',
      answer: 'HealthAnswer',
      handle: () => ({ ok: true, why: null }),
    },
    {
      method: 'get',
      path: '/readyz',
      summary: 'The process takes work: 503 while it drains, refuses or says nothing',
      access: 'open',
      ofProcess: true,
      answer: 'HealthAnswer',
      handle: ready,
    },
    {
      method: 'get',
      path: '/metrics',
      summary: 'Metrics in the text format of Prometheus',
      access: 'read',
      ofProcess: true,
      answer: 'text/plain',
      handle: async (context) =>
        new Answer(200, 'text/plain; version=0.0.4; charset=utf-8', await metrics(context)),
    },
    {
      method: 'get',
      path: '/status.json',
      summary: 'The newest frame',
      access: 'read',
      ofProcess: true,
      answer: 'Frame',
      handle: async ({ source }) => (await source()).frame(),
    },
    {
      method: 'get',
      path: '/openapi.json',
      summary: 'This description',
      access: 'open',
      answer: 'application/json',
      handle: describe,
    },
  ];
}

async function ready({ source }: RouteContext): Promise<Answer> {
  const why = await unready(source);
  return new Answer(why === null ? 200 : 503, 'application/json', JSON.stringify({ ok: why === null, why }));
}

async function unready(source: RouteContext['source']): Promise<string | null> {
  try {
    const found = await source();
    if (found.run !== undefined) return 'no process runs';
    return unreadyFrame(await found.frame(), Date.now());
  } catch (error) {
    return isPlimsollError(error) ? error.message : 'the process cannot be asked';
  }
}

/** Why a process is not ready for work; null when it is. */
export function unreadyFrame(frame: Frame, now: number): string | null {
  const state = frame.governance.admission?.state;
  if (state === 'draining' || state === 'refusing') return `the process is ${state}`;
  const ageMs = now - frame.at;
  return ageMs > staleMs ? `the last reading is ${Math.round(ageMs / 1000)} s old` : null;
}
