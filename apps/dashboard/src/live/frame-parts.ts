import type { DelegationRow, Finding, Forecast, Frame, KeeperRow } from '@plimsoll/host/protocol';

/** The one forecast of the process. null when no growth is certain enough, and for processes older than the field. */
export function forecastOf(frame: Frame): Forecast | null {
  return frame.forecast ?? null;
}

export function keepersOf(frame: Frame): readonly KeeperRow[] {
  return frame.keepers ?? [];
}

export function delegationOf(frame: Frame): DelegationRow | null {
  return frame.delegation ?? null;
}

/** Objects that should be gone and are not. */
export interface SurvivorCount {
  readonly count: number;
  /** 0 while they are not weighed. */
  readonly bytes: number;
  readonly worst: Finding | undefined;
}

export function survivorsOf({ findings }: Frame): SurvivorCount {
  const found = findings.filter((finding) => finding.kind === 'survivor');
  return {
    count: found.reduce((sum, finding) => sum + finding.count, 0),
    bytes: found.reduce((sum, finding) => sum + finding.bytes, 0),
    worst: found[0],
  };
}

/** Who holds the memory that was alive at the last major GC. The parts add up to `total`. */
export interface Holders {
  readonly scopes: number;
  /** In keepers that charge no scope. */
  readonly keepers: number;
  /** In neither: module variables, code, caches of libraries. */
  readonly rest: number;
  readonly total: number;
}

/** null before the first major GC. A scope inside another one is counted with the outer one. */
export function holdersOf(frame: Frame): Holders | null {
  if (frame.unattributedBytes === null) return null;
  const rows = frame.scopes.filter((row) => row.kind !== 'unattributed');
  const paths = new Set(rows.map((row) => row.path));
  const scopes = rows.reduce((sum, row) => (hasOuter(row.path, paths) ? sum : sum + row.bytes), 0);
  const keepers = keepersOf(frame).reduce((sum, row) => (row.scope === null ? sum + row.bytes : sum), 0);
  const rest = Math.max(0, frame.unattributedBytes);
  return { scopes, keepers, rest, total: scopes + keepers + rest };
}

function hasOuter(path: string, paths: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (paths.has(path.slice(0, end))) return true;
  return false;
}
