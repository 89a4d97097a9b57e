/** The governed process of the census benchmark: sessions under load, the census beside them, then the evidence on disk. */
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import { open, roster } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { Census, Sampler } from '@plimsoll/core/sense';
import { random, Session } from './sessions.ts';

const [snapshotFile = '', outFile = '', sessionCount = '1000', seconds = '60'] = process.argv.slice(2);
const count = Number(sessionCount);

interface Live {
  readonly session: Session;
  readonly scope: Scope;
}

const live: Live[] = [];
let opened = 0;
const openSession = (): Live => {
  const session = new Session(opened++);
  return { session, scope: open('session', session.id, { root: session }) };
};
for (let i = 0; i < count; i++) live.push(openSession());

const sampler = new Sampler({
  scopes: () => roster.count,
  unattributed: (floor) => census.unattributed(floor),
});
const census = new Census({ roster, self: sampler.self });

/** CPU share of the whole process over some seconds. */
async function cpuShare(ms: number): Promise<number> {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  await sleep(ms);
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1000 / (performance.now() - wall);
}

// The dearest case: every session counts as used all the time, and one rotation follows the other.
const busyRoster = {
  *roots() {
    for (const item of roster.roots()) {
      yield { ...item, scope: { id: item.scope.id, kind: item.scope.kind, idleMs: 0 } };
    }
  },
};
const busy = new Census({ roster: busyRoster, rotationMs: 0 });
busy.completeRotation();
globalThis.gc?.();
const blockMs = 1000 * Math.max(2, Number(seconds) / 10);
const offShares: number[] = [];
const onShares: number[] = [];
for (let round = 0; round < 3; round++) {
  offShares.push(await cpuShare(blockMs));
  busy.start();
  onShares.push(await cpuShare(blockMs));
  busy.stop();
}

sampler.start();
census.start();
const next = random(99);
const start = performance.now();
const end = start + 1000 * Number(seconds);
// Each session takes a turn every minute on average: a model answers in seconds, people read and type for longer.
const turnsPerMs = count / 60_000;
let turns = 0;
while (performance.now() < end || census.total().rotations < 2) {
  const at = Math.floor(next() * live.length);
  const { session, scope } = live[at] as Live;
  scope.run(() => session.turn());
  turns++;
  if (turns % 50 === 0) {
    await (live[at] as Live).scope.close('done');
    live[at] = openSession();
  }
  while (turns > (performance.now() - start) * turnsPerMs) await sleep(5);
}
const total = census.total();
census.stop();

const results = (): Record<string, { bytes: number; external: number; ageMs: number }> =>
  Object.fromEntries(
    live.flatMap(({ scope }) => {
      const found = census.bytesOf(scope);
      if (found === undefined) return [];
      return [[scope.path, { bytes: found.bytes, external: found.external, ageMs: Date.now() - found.at }]];
    }),
  );
const underLoad = results();
census.completeRotation();
const fresh = results();
const ropes = live.reduce((sum, { scope }) => sum + (census.bytesOf(scope)?.ropes ?? 0), 0);
const fullStart = performance.now();
census.completeRotation();
const fullMs = performance.now() - fullStart;
const objects = live.reduce((sum, { scope }) => sum + (census.bytesOf(scope)?.objects ?? 0), 0);

const sizeof = createRequire(import.meta.url)('object-sizeof') as (value: unknown) => number;
const peerStart = performance.now();
const peer = Object.fromEntries(live.map(({ session, scope }) => [scope.path, attempt(session)]));
const peerMs = performance.now() - peerStart;

function attempt(session: Session): number | null {
  try {
    return sizeof(session);
  } catch {
    return null;
  }
}

const evidence = {
  underLoad,
  fresh,
  peer,
  peerMs,
  fullMs,
  objects,
  ropes,
  offShares,
  onShares,
  turns,
  total,
  finalTotal: census.total(),
};
writeFileSync(outFile, JSON.stringify(evidence));
globalThis.gc?.();
globalThis.gc?.();
// The floor of this very moment goes with the snapshot.
writeFileSync(`${outFile}.reading`, JSON.stringify(sampler.sample()));
v8.writeHeapSnapshot(snapshotFile);
process.exit(0);
