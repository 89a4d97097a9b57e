/** The governed process of the census benchmark: sessions under load, the census beside them, then the evidence on disk. */
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import type { Scope } from '@plimsoll/core';
import { Census } from '@plimsoll/core/internal/sense/census/census';
import { Sampler } from '@plimsoll/core/internal/sense/sampler';
import { processSensor } from '@plimsoll/leak/internal/floor/floor-watch';
import { recordEvidence } from './evidence.ts';
import { freshKinds } from './fresh-kinds.ts';
import { heldOut } from './held-out.ts';
import { keptKinds } from './kept-kinds.ts';
import { lateKinds } from './late-kinds.ts';
import { composed, eachSort } from './composed.ts';
import type { MakeSession, Turning } from './sessions.ts';
import { random, Session } from './sessions.ts';

const [outFile = '', sessionCount = '1000', seconds = '60', which = 'chat'] = process.argv.slice(2);
const count = Number(sessionCount);
const sets: Readonly<Record<string, Readonly<Record<string, MakeSession>>>> = {
  chat: { session: (index) => new Session(index) },
  'held-out': heldOut,
  fresh: freshKinds,
  kept: keptKinds,
  late: lateKinds,
  sorts: eachSort(1),
};
const makers = Object.entries(
  which.startsWith('composed') ? composed(Number(which.slice(8))) : (sets[which] ?? {}),
);

interface Live {
  readonly session: Turning;
  readonly scope: Scope;
}

const live: Live[] = [];
let opened = 0;
const openSession = (): Live => {
  const index = opened++;
  const [kind, make] = makers[index % makers.length] as (typeof makers)[number];
  const session = make(index);
  return { session, scope: open('session', `${kind}-${index}`, { root: session }) };
};
for (let i = 0; i < count; i++) live.push(openSession());

const sampler = new Sampler({
  sensor: processSensor(),
  scopes: () => roster.count,
  unattributed: (floor) => census.unattributed(floor),
});
const census = new Census({ roster, self: sampler.self });

sampler.start();
census.start();
const next = random(99);
const start = performance.now();
const end = start + 1000 * Number(seconds);
// Each session takes a turn every minute on average: a model answers in seconds, people read and type for longer.
const turnsPerMs = count / 60_000;
let turns = 0;
// Sessions of some kinds are so large that two rotations take many minutes.
const latest = start + 2000 * Number(seconds);
while (performance.now() < end || (census.total().rotations < 2 && performance.now() < latest)) {
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
await recordEvidence(outFile, census, sampler, cpuShares);
process.exit(0);

/** The dearest case: every session counts as used all the time, and one rotation follows the other. */
async function cpuShares(): Promise<{ offShares: number[]; onShares: number[] }> {
  const busyRoster = {
    *roots() {
      for (const item of roster.roots()) {
        const { id, kind, account } = item.scope;
        yield { ...item, scope: { id, kind, activeMs: Infinity, account } };
      }
    },
  };
  const busy = new Census({ roster: busyRoster, rotationMs: 0 });
  busy.completeRotation();
  globalThis.gc?.();
  const blockMs = 1000 * Math.max(2, Number(seconds) / 10);
  const offShares: number[] = [];
  const onShares: number[] = [];
  for (let round = 0; round < 4; round++) {
    offShares.push(await cpuShare(blockMs));
    busy.start();
    // The time granted once for warming up is not the running price.
    if (round === 0) await sleep(5000);
    onShares.push(await cpuShare(blockMs));
    busy.stop();
  }
  return { offShares, onShares };
}

/** CPU share of the whole process over some seconds. */
async function cpuShare(ms: number): Promise<number> {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  await sleep(ms);
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1000 / (performance.now() - wall);
}
