// What the programs of the tests share: wait for an adapter, follow the scopes, print them at the end.
import { subscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';

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

/**
 * Live bytes of the program's objects, by a heap snapshot. Compiled code, which V8 makes and drops as it likes, and what belongs to V8 and
 * Node.js themselves are left out: with them the heap of a process that does nothing moves by half a megabyte.
 */
export async function objectBytes() {
  await floor();
  // What depends on a signal of `AbortSignal.any` goes some time after the signal.
  await new Promise((done) => setTimeout(done, 500));
  await floor();
  const file = join(mkdtempSync(join(tmpdir(), 'plimsoll-kept-')), 'now.heapsnapshot');
  writeHeapSnapshot(file);
  const { snapshot, nodes } = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(dirname(file), { recursive: true });
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length)
    if (!['code', 'object shape', 'synthetic', 'native'].includes(types[0][nodes[at + type]]))
      bytes += nodes[at + size];
  return bytes;
}

/** Bytes that each call leaves behind, once as many calls have been made that everything is loaded and compiled. */
export async function keptPerCall(calls, call) {
  for (let i = 0; i < calls; i += 1) await call();
  const before = await objectBytes();
  for (let i = 0; i < calls; i += 1) await call();
  return Math.round(((await objectBytes()) - before) / calls);
}
