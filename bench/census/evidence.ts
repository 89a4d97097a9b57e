/** What a process under census leaves on disk for the judge: results, its floor of the moment, and a snapshot to hold them against. */
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import v8 from 'node:v8';
import { open as openSnapshot } from '@plimsoll/heap';
import { roster } from '@plimsoll/core/internal/scope/index';
import type { Census } from '@plimsoll/core/internal/sense/census/census';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Sampler } from '@plimsoll/core/internal/sense/sampler';

export interface Measured {
  readonly bytes: number;
  readonly external: number;
  readonly ageMs: number;
}

export interface Evidence {
  readonly underLoad: Readonly<Record<string, Measured>>;
  readonly fresh: Readonly<Record<string, Measured>>;
  /** The same after every second scope of the snapshot was told to the census; only the scopes that it was not told of. */
  readonly calibrated: Readonly<Record<string, Measured>>;
  readonly peer: Readonly<Record<string, number | null>>;
  readonly peerMs: number;
  readonly fullMs: number;
  readonly objects: number;
  readonly ropes: number;
  /** CPU share of the process without and with a census that never rests. */
  readonly offShares: readonly number[];
  readonly onShares: readonly number[];
  readonly total: { readonly cpuRatio: number; readonly rotationMs: number; readonly rotations: number };
  readonly finalTotal: { readonly bytes: number; readonly external: number };
  readonly reading: Reading;
}

type Shares = Pick<Evidence, 'offShares' | 'onShares'>;

/**
 * Writes `<file>` (results), `<file>.reading` (floor of the moment) and `<file>.heapsnapshot`. What a census costs is measured after that:
 * a second one would have read every string before, and the first reading of a string is what tells how it is laid out.
 */
export async function recordEvidence(
  file: string,
  census: Census,
  sampler: Sampler,
  sharesOf: () => Promise<Shares>,
): Promise<void> {
  const total = census.total();
  census.stop();
  const underLoad = results(census);
  census.completeRotation();
  const fresh = results(census);
  const ropes = sum((scope) => census.bytesOf(scope)?.ropes);
  const start = performance.now();
  census.completeRotation();
  const fullMs = performance.now() - start;
  const objects = sum((scope) => census.bytesOf(scope)?.objects);
  const evidence: Omit<Evidence, 'reading' | 'calibrated' | keyof Shares> = {
    ...measurePeer(),
    underLoad,
    fresh,
    fullMs,
    objects,
    ropes,
    total,
    finalTotal: census.total(),
  };
  // What the census remembers of an object hangs on the object, too.
  census[Symbol.dispose]();
  // What a weak reference was asked for stays alive until its task ends; the snapshot would take that for a holder.
  await setImmediate();
  globalThis.gc?.();
  globalThis.gc?.();
  // The floor of this very moment goes with the snapshot.
  writeFileSync(`${file}.reading`, JSON.stringify(sampler.sample()));
  v8.writeHeapSnapshot(`${file}.heapsnapshot`);
  const calibrated = await calibrate(census, `${file}.heapsnapshot`);
  writeFileSync(file, JSON.stringify({ ...evidence, calibrated, ...(await sharesOf()) }));
}

/** Calibrates the census by every second scope; returns what it says of the others. */
async function calibrate(census: Census, file: string): Promise<Record<string, Measured>> {
  using snapshot = await openSnapshot(file);
  const rows = snapshot.scopes().toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const told = rows.filter((_, i) => i % 2 === 0);
  census.calibrate(told, Date.now());
  const known = new Set(told.map(({ path }) => path));
  return Object.fromEntries(Object.entries(results(census)).filter(([path]) => !known.has(path)));
}

function results(census: Census): Record<string, Measured> {
  const found: Record<string, Measured> = {};
  for (const { scope } of roster.roots()) {
    const result = census.bytesOf(scope);
    if (result === undefined) continue;
    const { bytes, external, at } = result;
    found[scope.path] = { bytes, external, ageMs: Date.now() - at };
  }
  return found;
}

function sum(of: (scope: { readonly id: number }) => number | undefined): number {
  let total = 0;
  for (const { scope } of roster.roots()) total += of(scope) ?? 0;
  return total;
}

/** The same sessions by the estimator that people use, one call per root. */
function measurePeer(): Pick<Evidence, 'peer' | 'peerMs'> {
  const sizeof = createRequire(import.meta.url)('object-sizeof') as (value: unknown) => number;
  const peer: Record<string, number | null> = {};
  const start = performance.now();
  for (const { scope, roots } of roster.roots()) {
    try {
      peer[scope.path] = roots.reduce((bytes, root) => bytes + sizeof(root), 0);
    } catch {
      peer[scope.path] = null;
    }
  }
  return { peer, peerMs: performance.now() - start };
}
