/** The last part of a scope path: "session:42" of "process/agent:planner/session:42". */
export function leafOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The path without its last part; undefined for a root. */
export function parentOf(path: string): string | undefined {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? undefined : path.slice(0, slash);
}
