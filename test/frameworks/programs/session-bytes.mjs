// Sessions of each framework hold conversations of many shapes while their tools wait. What is each said to hold? The truth is what goes from
// the heap when that session ends and the others go on: `SNAPSHOTS` names a folder for a heap snapshot before and after each end. Prints per
// framework what was said, and the snapshots.
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';
import { Census } from '../../../packages/core/src/sense/census/census.ts';
import { waitFor } from './scopes.mjs';
import { begin, names, talkOf } from './talks.mjs';

for (const name of names) await waitFor(name);
const roster = () => globalThis[Symbol.for('plimsoll.slots.v1')].scopes.roster;
const folder = process.env.SNAPSHOTS;
const seed = Number(process.env.SEED ?? 1);
const sizes = (process.env.SIZES ?? '60000,150000,400000,900000').split(',').map(Number);
const census = new Census({ roster: roster() });

/** What each session is said to hold: of every scope in it the larger of what was walked and what was charged, as the host has it. */
function said() {
  // A look into closures shows more to look into.
  for (let round = 0; round < 4; round += 1) {
    census.completeRotation();
    census.lookInside();
  }
  census.completeRotation();
  const bytes = new Map();
  for (const { id, path, account } of roster().open) {
    const session = /\/session:([^/]+)/.exec(path)?.[1];
    if (session === undefined) continue;
    const own = Math.max(census.bytesOf({ id })?.bytes ?? 0, account.own);
    bytes.set(session, (bytes.get(session) ?? 0) + own);
  }
  return bytes;
}

let files = 0;
async function snapshot() {
  if (folder === undefined) return '';
  // Frameworks let go of a call some turns of the event loop after it has ended, and the adapter of Mastra after a second.
  await sleep(1500);
  return writeHeapSnapshot(join(folder, `${(files += 1)}.heapsnapshot`));
}

let rounds = 0;
/** Begins the sessions, asks what they hold when all of their tools wait, and ends one after the other. The first `count` are measured. */
async function measured(talks, count) {
  let waiting = 0;
  const before = new Set(said().keys());
  const sessions = [];
  rounds += 1;
  for (const [i, [name, talk]] of talks.entries()) {
    const gate = Promise.withResolvers();
    const wait = async () => {
      waiting += 1;
      await gate.promise;
    };
    const run = begin(name, `${rounds}-${i}`, talk, wait).then(() => undefined);
    // A session of MCP has the name of its transport, so they begin one after the other.
    while (waiting <= i) await sleep(5);
    sessions.push({ gate, run });
  }
  talks.length = 0;
  const bytes = [...said()].filter(([session]) => !before.has(session)).map(([, each]) => each);
  const snapshots = count === 0 ? [] : [await snapshot()];
  for (const [i, { gate, run }] of sessions.entries()) {
    gate.resolve();
    await run;
    if (i < count) snapshots.push(await snapshot());
  }
  return { bytes, snapshots };
}

/** Conversations of one framework, or one of each (`ai,mastra`). */
function talksOf(wanted, scale) {
  const each = wanted.split(',');
  const talks = each.length > 1 ? each.map((name) => [name, 300_000]) : sizes.map((size) => [wanted, size]);
  // What only one session refers to belongs to that session, and the session that ended last is held until the next one ends. So small ones
  // come after those that are measured.
  const others = new Set(talks.map(([name]) => name));
  return [...talks, ...[...others].map((name) => [name, 1000])].map(([name, size], i) => [
    name,
    talkOf(100 * seed + i, scale * size),
  ]);
}

const all = {};
for (const wanted of process.argv.slice(2)) {
  // The first calls of a framework leave its own code and caches behind.
  for (let round = 0; round < 3; round += 1) await measured(talksOf(wanted, 0.01), 0);
  const talks = talksOf(wanted, 1);
  const others = new Set(talks.map(([name]) => name)).size;
  all[wanted] = await measured(talks, talks.length - others);
}
console.log(JSON.stringify(all));
process.exit(0);
