// What the programs of the tests share: wait for an adapter, follow the scopes, print them at the end.
import { subscribe } from 'node:diagnostics_channel';

const slots = () => globalThis[Symbol.for('plimsoll.slots.v1')];

/** Under the preload the adapters come shortly after the first line. */
export async function waitFor(adapter) {
  while (slots() && !slots().frameworks?.connected.has(adapter))
    await new Promise((done) => setTimeout(done, 10));
}

/** How many scopes of each kind are open. */
export function kinds() {
  const counts = {};
  for (const { kind } of slots()?.scopes?.roster.open ?? []) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Bytes that each open session is charged. */
export function charged() {
  const bytes = {};
  for (const { kind, name, account } of slots()?.scopes?.roster.open ?? [])
    if (kind === 'session') bytes[name] = account.held;
  return bytes;
}

export async function connected(adapter) {
  await waitFor(adapter);
  const opened = [];
  subscribe('plimsoll:scope.open', (scope) => opened.push(scope.path));
  return opened;
}

export const current = () => slots().scopes.currentScope().path;

/** The scopes that are open once the collector had its say, without those that are expected. */
export async function open(expected) {
  const paths = () =>
    [...slots().scopes.roster.open].map(({ path }) => path).filter((path) => path !== 'process');
  for (let i = 0; i < 200 && paths().length > expected; i += 1) {
    globalThis.gc();
    await new Promise((done) => setTimeout(done, 20));
  }
  return paths();
}

/** Live bytes once the collector and its finalizers have nothing more to do. */
export async function floor() {
  let least = Infinity;
  for (let quiet = 0; quiet < 5; quiet += 1) {
    globalThis.gc();
    await new Promise((done) => setTimeout(done, 20));
    const { heapUsed } = process.memoryUsage();
    if (heapUsed < least - 10_000) quiet = 0;
    least = Math.min(least, heapUsed);
  }
  return least;
}

const rounds = 6;

/**
 * Bytes that each call leaves behind: the median growth of the floor over the later rounds. What the host or V8 takes or frees once shows in
 * one round. `between` is called after the first half.
 */
export async function growth(calls, call, between = () => undefined) {
  const perRound = Math.ceil(calls / rounds);
  const floors = [];
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < perRound; i += 1) await call();
    floors.push(await floor());
    if (round === rounds / 2 - 1) between();
  }
  const grown = floors.slice(1).map((bytes, i) => (bytes - floors[i]) / perRound);
  const later = grown.slice(1).toSorted((a, b) => a - b);
  return Math.round((later[1] + later[2]) / 2);
}
