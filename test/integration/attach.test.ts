import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Attached } from '../../packages/plimsoll/src/attach/attached.ts';
import { Cdp } from '../../packages/plimsoll/src/attach/cdp.ts';
import { attachable, findInspector } from '../../packages/plimsoll/src/attach/find-inspector.ts';
import { listeningPorts } from '../../packages/plimsoll/src/attach/process-facts.ts';
import { addressOf, startNpmServer } from './npm-server.ts';
import { plimsoll } from './plimsoll.ts';

/**
 * Tells over IPC what the program has registered with its process and what looks into it, so that before and after can be compared.
 * What V8 does for a debugger belongs to the whole isolate, so a session of the program's own sees what another one left on: sampling
 * answers with a profile instead of an error, a snapshot carries the stacks of allocations, and a profiler has a thread.
 */
const reporter = `
import inspector from 'node:inspector';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { getHeapSnapshot } from 'node:v8';

function isSampled() {
  const session = new inspector.Session();
  session.connect();
  let found;
  session.post('HeapProfiler.getSamplingProfile', (error) => { found = error === null; });
  session.disconnect();
  return found;
}

async function allocationStacks() {
  const snapshot = getHeapSnapshot();
  await once(snapshot, 'readable');
  const head = String(snapshot.read());
  snapshot.destroy();
  return Number(/"trace_function_count":(\\d+)/.exec(head)[1]);
}

const threads = () => readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim());

process.on('message', async () => {
  // It comes first, because a session that ends stops the tracking of every other.
  const tracks = (await allocationStacks()) > 0;
  process.send({
    listeners: Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)])),
    execArgv: process.execArgv,
    globals: Object.getOwnPropertyNames(globalThis).length,
    watched: {
      inspector: inspector.url() !== undefined,
      threads: threads().filter((name) => name === 'InspectorIo' || name.startsWith('v8:Prof')),
      isSampled: isSampled(),
      tracks,
    },
  });
});`;

interface State {
  readonly listeners: Record<string, number>;
  readonly globals: number;
  readonly watched: {
    readonly inspector: boolean;
    readonly threads: readonly string[];
    readonly isSampled: boolean;
    readonly tracks: boolean;
  };
}

const unwatched = { inspector: false, threads: [], isSampled: false, tracks: false };

/** What a program tells when everything that attaching could leave on is switched on by hand. */
async function watchedByHand(pid: number, ask: () => Promise<State>): Promise<State['watched']> {
  const inspector = await findInspector(attachable(pid));
  const cdp = await Cdp.connect(inspector.url);
  for (const step of [
    'HeapProfiler.enable',
    'Profiler.enable',
    'Profiler.start',
    'HeapProfiler.startSampling',
  ])
    await cdp.send(step);
  await cdp.send('HeapProfiler.startTrackingHeapObjects', { trackAllocations: true });
  const { watched } = await ask();
  await cdp.close();
  await (await Attached.open(inspector, pid)).close();
  return watched;
}

test('attaching to a server from npm and letting go leaves its ports, listeners and answers as they were, and nothing that watches it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-attach-it-'));
  const server = startNpmServer(dir, [`--import=data:text/javascript,${encodeURIComponent(reporter)}`]);
  try {
    const address = await addressOf(server);
    const ask = (): Promise<State> =>
      new Promise((answer) => {
        server.once('message', (state) => answer(state as State));
        server.send('state');
      });
    expect((await fetch(address)).status).toBe(200);
    const pid = server.pid as number;
    const state = async (): Promise<unknown> => ({ ...(await ask()), ports: [...listeningPorts(pid)] });
    expect((await ask()).watched).toEqual(unwatched);
    const before = await state();
    const end = await plimsoll(['attach', String(pid), '--for', '1s', '--snapshot', '--json', '--force'], dir)
      .ended;
    expect(end.code).toBe(0);
    const report = JSON.parse(end.stdout) as {
      readings: { last: { heapUsed: number } };
      proof: { snapshots: unknown[] };
    };
    expect(report.readings.last.heapUsed).toBeGreaterThan(1e6);
    expect(report.proof.snapshots).toHaveLength(1);
    expect(await state()).toEqual(before);
    expect((await fetch(address)).status).toBe(200);
    expect(await watchedByHand(pid, ask)).toEqual({
      inspector: true,
      threads: ['InspectorIo', 'v8:ProfEvntProc'],
      isSampled: true,
      tracks: true,
    });
    expect(await state()).toEqual(before);
  } finally {
    server.kill('SIGKILL');
  }
});
