import type { Frame } from './frame.ts';

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
export function holdersOf(frame: Pick<Frame, 'keepers' | 'scopes' | 'unattributedBytes'>): Holders | null {
  if (frame.unattributedBytes === null) return null;
  const rows = frame.scopes.filter((row) => row.kind !== 'unattributed');
  const paths = new Set(rows.map((row) => row.path));
  const scopes = rows.reduce((sum, row) => (hasOuter(row.path, paths) ? sum : sum + row.bytes), 0);
  const keepers = (frame.keepers ?? []).reduce((sum, row) => (row.scope === null ? sum + row.bytes : sum), 0);
  const rest = Math.max(0, frame.unattributedBytes);
  return { scopes, keepers, rest, total: scopes + keepers + rest };
}

function hasOuter(path: string, paths: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (paths.has(path.slice(0, end))) return true;
  return false;
}
