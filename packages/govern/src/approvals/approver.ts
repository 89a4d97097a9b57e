/** Who decides, as whoever checked it says: the socket, a token, an A2A peer. */
interface Approver {
  /** `user:NAME` or `agent:NAME`. */
  readonly by: string;
  readonly groups: readonly string[];
  /** True for the user that runs the process, when it came through the socket. */
  readonly isOwner: boolean;
}

/** One spelling per name, so that a name cannot pass for two people or slip past a comparison. */
export function fold(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

/** Whether an approver is among those a rule names. Only a person or an agent has a name; a name that looks like a group is none. */
export function isAllowed(approver: Approver, by: readonly string[]): boolean {
  const own = new Set(approver.groups.map((group) => `group:${fold(group)}`));
  const name = fold(approver.by);
  if (isName(name)) own.add(name);
  return by.some((each) => (each === 'owner' ? approver.isOwner : own.has(fold(each))));
}

/** The names that may not approve a request: who asked, and every owner of a scope around what is asked for. */
export function askersOf(requestedBy: string, scope: string): ReadonlySet<string> {
  const steps = [requestedBy, ...requestedBy.split('/'), ...scope.split('/')];
  return new Set(steps.map(fold).filter(isName));
}

function isName(text: string): boolean {
  return /^(?:user|agent):./.test(text);
}
