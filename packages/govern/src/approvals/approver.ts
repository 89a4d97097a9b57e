/** The person or agent that decides, as verified by the socket, a token or an A2A peer. */
interface Approver {
  /** `user:NAME` or `agent:NAME`. */
  readonly by: string;
  readonly groups: readonly string[];
  /** True for the user that runs the process, when the decision came through the socket. */
  readonly isOwner: boolean;
}

/** Maps a name to one spelling, so that one person does not count twice and comparisons work. */
export function fold(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

/** Whether a rule allows an approver. Only names of persons and agents are compared; a name in the form of a group is not accepted. */
export function isAllowed(approver: Approver, by: readonly string[]): boolean {
  const own = new Set(approver.groups.map((group) => `group:${fold(group)}`));
  const name = fold(approver.by);
  if (isName(name)) own.add(name);
  return by.some((each) => (each === 'owner' ? approver.isOwner : own.has(fold(each))));
}

/** The names that may not approve a request: the requester, and every owner of a scope around the requested one. */
export function askersOf(requestedBy: string, scope: string): ReadonlySet<string> {
  const steps = [requestedBy, ...requestedBy.split('/'), ...scope.split('/')];
  return new Set(steps.map(fold).filter(isName));
}

function isName(text: string): boolean {
  return /^(?:user|agent):./.test(text);
}
