import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';
import type { ReportBoard } from '../report-board.ts';
import type { Delegation } from './delegation.ts';
import type { DelegationDenied, DelegationEvents, DelegationLimit } from './events.ts';
import type { FailureGate } from './failure-gate.ts';
import { clampOf, clampedPlaces } from './memory-clamp.ts';
import type { Places } from './places.ts';
import type { DelegationSettings } from './settings.ts';

/** What speaks against a delegation: the budget of its tree, its path, its agent, or the breaker itself. */
export class Refusals {
  /** Why no new tree is taken. */
  paused: string | undefined = undefined;
  isClosed = false;
  readonly #settings: DelegationSettings;
  readonly #board: ReportBoard<DelegationEvents>;
  readonly #gate: FailureGate;
  readonly #places: Places;
  readonly #label: string;

  constructor(
    settings: DelegationSettings,
    board: ReportBoard<DelegationEvents>,
    gate: FailureGate,
    places: Places,
    label: string,
  ) {
    this.#settings = settings;
    this.#board = board;
    this.#gate = gate;
    this.#places = places;
    this.#label = label;
  }

  /** The error that the first delegation of a tree gets; undefined when it may run. */
  ofRoot(agent: string): DelegationDenied | undefined {
    if (this.isClosed) return this.deny('closed', agent, undefined, 'the breaker is closed');
    if (this.paused !== undefined)
      return this.deny('paused', agent, undefined, `no new work: ${this.paused}`);
    return this.#ofPlaces(agent, undefined) ?? this.#ofAgent(agent, undefined);
  }

  /** The error that a delegation below another gets; undefined when it may run. */
  below(parent: Delegation, agent: string, fingerprint: string): DelegationDenied | undefined {
    const { depth, total, tokens, bytes, time, reentry, pingPong, clock } = this.#settings;
    const { tree } = parent;
    if (parent.isCancelled)
      return this.deny('cancelled', agent, parent, 'the delegation above it was cancelled');
    if (parent.depth >= depth) return this.deny('depth', agent, parent, `the limit is ${depth} levels`);
    const clamp = clampOf(parent);
    if (clamp !== undefined) return this.deny(clamp.limit, agent, parent, clamp.why);
    const loop = loopOf(agent, fingerprint, parent, reentry, pingPong);
    if (loop !== undefined) return this.deny(loop.limit, agent, parent, loop.why);
    if (tree.total >= total)
      return this.deny('total', agent, parent, `the limit is ${total} delegations per tree`);
    if (tree.tokens >= tokens)
      return this.deny('tokens', agent, parent, `${tree.tokens} of ${tokens} tokens are spent`);
    if (tree.bytes > bytes) {
      const of = `${formatByteSize(tree.bytes)} of ${formatByteSize(bytes)}`;
      return this.deny('bytes', agent, parent, `the tree holds ${of}`);
    }
    if (time !== Number.POSITIVE_INFINITY && clock.monotonic() - tree.startedMs >= time)
      return this.deny('time', agent, parent, `the limit is ${formatDuration(time)} per tree`);
    return this.#ofPlaces(agent, parent) ?? this.#ofAgent(agent, parent);
  }

  /** Counts and reports a refusal; gives its error. */
  deny(limit: DelegationLimit, agent: string, parent: Delegation | undefined, why: string): DelegationDenied {
    const path = parent === undefined ? [agent] : [...parent.path, agent];
    this.#board.emit('denied', { agent, limit, path, why });
    const error = failure('PLM_DELEGATION_DENIED', { breaker: this.#label, path, limit, why });
    return Object.assign(error, { limit, path });
  }

  /** The error of a delegation that would run above the bounds, or wait in a full queue. */
  #ofPlaces(agent: string, parent: Delegation | undefined): DelegationDenied | undefined {
    const { live, livePerTree, waits, queue } = this.#settings;
    const places = this.#places;
    if (waits && places.waiting < queue) return undefined;
    // Who delegates gives its own place to what it delegates.
    const own = parent !== undefined && parent.outstanding === 0 && parent.hasPlace ? 1 : 0;
    const inTree = clampedPlaces(livePerTree);
    const inAll = clampedPlaces(live);
    const isTreeFull = parent !== undefined && parent.tree.live - own >= inTree;
    if (!isTreeFull && places.live - own < inAll) return undefined;
    if (waits) return this.deny('queue', agent, parent, `${queue} delegations wait already`);
    const run = isTreeFull ? `${inTree} delegations of this tree` : `${inAll} delegations`;
    return this.deny('live', agent, parent, `${run} run already`);
  }

  #ofAgent(agent: string, parent: Delegation | undefined): DelegationDenied | undefined {
    const answer = this.#gate.admit(agent);
    if (typeof answer === 'string') return undefined;
    const left =
      answer === 0 ? 'it is being tried by another delegation' : `next try in ${formatDuration(answer)}`;
    return this.deny('failures', agent, parent, `${agent} failed too often, ${left}`);
  }
}

/** True for an error that says nothing about the agent that met it. */
export function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return code === 'PLM_DELEGATION_DENIED' || code === 'PLM_DELEGATION_CANCELLED';
}

/** What is wrong with a path if one more delegation is added to it; undefined when nothing is. */
function loopOf(
  agent: string,
  fingerprint: string,
  parent: Delegation,
  reentry: number,
  pingPong: number,
): { readonly limit: 'cycle' | 'ping-pong' | 'reentry'; readonly why: string } | undefined {
  let times = 0;
  for (let at: Delegation | undefined = parent; at !== undefined; at = at.parent) {
    if (at.agent !== agent) continue;
    if (at.fingerprint === fingerprint)
      return { limit: 'cycle', why: `${agent} already works on this very task, further up` };
    times++;
  }
  if (times >= reentry) return { limit: 'reentry', why: `${agent} is on the path ${times} times already` };
  if (times < pingPong) return undefined;
  const rounds = toAndFro(agent, parent);
  if (rounds < pingPong) return undefined;
  return { limit: 'ping-pong', why: `${agent} and ${parent.agent} handed it to and fro ${rounds} times` };
}

/** How often the end of a path already went from one agent to the other and back. */
function toAndFro(agent: string, parent: Delegation): number {
  if (parent.agent === agent) return 0;
  let rounds = 0;
  let at: Delegation | undefined = parent;
  while (at !== undefined && at.agent === parent.agent && at.parent?.agent === agent) {
    rounds++;
    at = at.parent.parent;
  }
  return rounds;
}
