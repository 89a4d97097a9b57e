import { formatByteSize } from '@plimsoll/core/units';
import type { GrownContainer } from '@plimsoll/leak/internal/containers/container-counts';
import { nameOf } from '@plimsoll/leak/internal/containers/container-name';
import { risesSurely } from '@plimsoll/leak/internal/containers/sure-rise';
import { nearestOwn } from '@plimsoll/leak/internal/audit/installed-file';
import type { Frame } from './frame.ts';

/** The part of the protocol that also runs in a browser. Nothing here imports a module of Node.js. */
export { levels } from '@plimsoll/core/internal/level';
export { readingFields, storedFields } from '@plimsoll/core/internal/sense/reading-fields';
export type { ReadingField } from '@plimsoll/core/internal/sense/reading-fields';
export { severities } from '@plimsoll/leak/internal/findings/finding';

/** The effect of an action, in words. A negative number means that the program meanwhile took more than the action freed. */
export function freedText(bytes: number): string {
  if (bytes === 0) return 'freed nothing';
  return bytes > 0 ? `freed ${formatByteSize(bytes)}` : `memory grew by ${formatByteSize(-bytes)} meanwhile`;
}

/** Who holds the memory that was alive at the last major GC. The parts add up to `total`. */
export interface Holders {
  readonly scopes: number;
  /** In keepers that charge no scope. */
  readonly keepers: number;
  /** In neither of the two: module variables, code, caches of libraries. */
  readonly rest: number;
  readonly total: number;
}

export interface HolderFacts extends Pick<Frame, 'keepers' | 'scopes' | 'unattributedBytes'> {
  readonly reading: Pick<Frame['reading'], 'floor' | 'external'> | null;
}

/**
 * The holders; null before the first major GC. A scope inside another one is counted with the outer one. Bytes of a keeper outside of
 * scopes that a scope also reaches are counted with the scope, so that the parts never exceed the live bytes.
 */
export function holdersOf({ keepers, scopes: all, unattributedBytes, reading }: HolderFacts): Holders | null {
  if (unattributedBytes === null) return null;
  const rows = all.filter((row) => row.kind !== 'unattributed');
  const paths = new Set(rows.map((row) => row.path));
  const scopes = rows.reduce((sum, row) => (hasOuter(row.path, paths) ? sum : sum + row.bytes), 0);
  const rest = Math.max(0, unattributedBytes);
  const live = Math.max(scopes + rest, (reading?.floor ?? 0) + (reading?.external ?? 0));
  const kept = keepers.reduce((sum, row) => (row.scope === null ? sum + row.bytes : sum), 0);
  const inKeepers = Math.min(kept, live - scopes - rest);
  return { scopes, keepers: inKeepers, rest, total: scopes + inKeepers + rest };
}

function hasOuter(path: string, paths: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (paths.has(path.slice(0, end))) return true;
  return false;
}

/** Growth that looks like a leak and is not yet proved. */
export interface Suspicion {
  /** Bytes per hour at the end; 0 when unknown. */
  readonly perHour: number;
  /** When it was first seen, ms since the epoch; null when never. */
  readonly since: number | null;
  /** The main holder or allocator, e.g. `sessions has 900 entries, 320 more than at first`; null while unknown. */
  readonly who: string | null;
}

/** The current suspicion of growth; null when there is none. A container that rises beyond doubt is suspected whatever the floors say. */
export function suspicionOf(growth: Frame['growth']): Suspicion | null {
  if (growth === null) return null;
  const channel = Object.values(growth.channels).find(({ shape }) => shape === 'growing');
  const isRising = (each: GrownContainer): boolean =>
    channel === undefined ? risesSurely(each) : each.shape === 'growing';
  const holder = growth.containers?.find(isRising);
  if (channel === undefined && holder === undefined) return null;
  const [first] = growth.sites ?? [];
  const site = first && (nearestOwn([first, ...(first.callers ?? [])]) ?? first);
  const count = (value: number): string => value.toLocaleString('en-US');
  const who =
    holder !== undefined
      ? `${nameOf(holder)} has ${count(holder.count)} entries, ${count(holder.gained)} more than at first`
      : site !== undefined
        ? `${site.function} (${site.file.split(/[\\/]/).at(-1)}:${site.line}) allocates most of it`
        : null;
  return { perHour: Math.max(0, channel?.rate.perHour ?? 0), since: growth.suspectedAt ?? null, who };
}

/** A suspicion in one sentence part, e.g. `growing by 18.0 MiB per hour: sessions has 900 entries, 320 more than at first`. */
export function suspicionText({ perHour, who }: Suspicion): string {
  const pace = perHour > 0 ? ` by ${formatByteSize(perHour)} per hour` : '';
  return `growing${pace}${who === null ? '' : `: ${who}`}`;
}
