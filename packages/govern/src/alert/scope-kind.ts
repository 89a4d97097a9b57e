const longestKind = 60;

/** The kind of the scope at a path: "session" for "process/agent:planner/session:42". */
export function kindOfScope(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  const colon = last.indexOf(':');
  return (colon < 0 ? last : last.slice(0, colon)).slice(0, longestKind);
}
