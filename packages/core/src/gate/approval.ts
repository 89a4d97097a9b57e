import { failure } from '../errors.ts';
import { slots } from '../slots.ts';

/** What can wait for an approval. `delegation`: an agent hands work to another. `operation`: anything the program does with much memory. */
export type ApprovalPoint = 'delegation' | 'operation';

/** `open` until decided; every other state is final. */
export type ApprovalState =
  | 'open'
  | 'approved'
  | 'denied'
  | 'expired'
  /** The level fell below that of the rung, so nothing has to be done any more. */
  | 'withdrawn'
  /** The policy let it run at emergency level; a review ticket follows. */
  | 'overridden'
  /** What was asked for no longer holds, because the policy or the victim changed, or nobody waits any more. */
  | 'stale'
  | 'refused-full'
  /** The process ended before anybody decided. */
  | 'lost';

/** What decides whether an approval is needed. */
export interface ApprovalFacts {
  /** Delegation: how deep it would be, the first one being 1. */
  readonly depth?: number | undefined;
  /** Operation: true when it needs an approval at every level. */
  readonly critical?: boolean | undefined;
}

/** What is asked for. */
export interface ApprovalRequest extends ApprovalFacts {
  /** The agent that is to do it, or the name of the operation. */
  readonly name: string;
  /** Part of the digest, so that a decision is bound to exactly these. JSON; never shown. */
  readonly args?: Readonly<Record<string, unknown>>;
  /** One sentence for whoever decides. */
  readonly why?: string;
  /** Numbers for whoever decides. */
  readonly evidence?: Readonly<Record<string, string | number | null>>;
  /** Who asks, such as `agent:planner`; the innermost agent of the current scope by default. It may not approve. */
  readonly by?: string;
  /** Scope path; that of the current scope by default. */
  readonly scope?: string;
  /** Bytes that are held while it waits, such as the request's body. 0 by default. */
  readonly bytes?: number;
  /** Ends the waiting, such as when the client goes away. */
  readonly signal?: AbortSignal | undefined;
  /** Longest wait of this caller, shorter than the timeout of its client. 25 s by default; the ticket stays open after it. */
  readonly waitMs?: number | undefined;
}

/** Leave to go on. */
export interface Approved {
  /** `ungoverned`: nobody governs. `not-needed`: the policy asks for none. `would-have`: it would, were it enforced. */
  readonly state: 'approved' | 'not-needed' | 'would-have' | 'ungoverned';
  readonly id: string | null;
  /** Who approved. */
  readonly by: string | null;
}

/** Whoever governs the process holds what has to wait. */
export interface HeldGate {
  /** Cheap and never throws. */
  needs(point: ApprovalPoint, facts: ApprovalFacts): boolean;
  hold(point: ApprovalPoint, request: ApprovalRequest): Promise<Approved>;
}

/** Where the program and whoever governs it find each other. */
export interface ApprovalSlot {
  gate: HeldGate | undefined;
  /** Set by the preload while the host is being loaded; resolves when it is there, or is not going to be. */
  loading?: Promise<void> | undefined;
}

/** Longest wait for a host that is being loaded; after it the program goes on ungoverned. */
const loadingMs = 10_000;

/** The slot of `approval()`: the preload sets `loading` in it, the host its gate. */
export function approvalSlot(): ApprovalSlot {
  return (slots().approvals ??= { gate: undefined });
}

const ungoverned: Approved = { state: 'ungoverned', id: null, by: null };

/**
 * Waits until an operation may go on. Resolves at once when nobody governs or the policy asks for no approval; rejects with an
 * `ApprovalRefusal` that says whether to come back. For new work at async points only: never while holding a lock or a place of a pool.
 *
 * ```ts
 * await approval('delegation', { name: 'researcher', depth: 5, signal: request.signal });
 * await approval('operation', { name: 'export all sessions', critical: true, bytes: body.length });
 * ```
 */
export async function approval(point: ApprovalPoint, request: ApprovalRequest): Promise<Approved> {
  check(point, request);
  const place = approvalSlot();
  if (place.gate === undefined && place.loading !== undefined) await loaded(place.loading);
  return place.gate === undefined ? ungoverned : place.gate.hold(point, request);
}

/** Whether `approval` may have to wait now, without asking: for callers that have a path without a promise. */
export function needsApproval(point: ApprovalPoint, facts: ApprovalFacts): boolean {
  const { gate, loading } = approvalSlot();
  return gate === undefined ? loading !== undefined : gate.needs(point, facts);
}

/** Puts a gate in force; returns what takes it away again. */
export function installHeldGate(gate: HeldGate): () => void {
  const place = approvalSlot();
  place.gate = gate;
  place.loading = undefined;
  return () => {
    if (place.gate === gate) place.gate = undefined;
  };
}

/** Keeps the process alive meanwhile. The timer that loads the host does not. */
async function loaded(loading: Promise<void>): Promise<void> {
  let stop: (() => void) | undefined;
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, loadingMs);
    stop = () => clearTimeout(timer);
  });
  await Promise.race([loading, late]);
  stop?.();
}

function check(point: ApprovalPoint, request: ApprovalRequest): void {
  if (point !== 'delegation' && point !== 'operation') throw bad('point', 'delegation or operation');
  if (typeof request.name !== 'string' || request.name === '') throw bad('name', 'a text that is not empty');
  const { depth, bytes, waitMs } = request;
  if (point === 'delegation' && !(Number.isSafeInteger(depth) && (depth as number) >= 1))
    throw bad('depth', 'a whole number from 1 on');
  if (bytes !== undefined && !(bytes >= 0 && Number.isFinite(bytes))) throw bad('bytes', 'bytes from 0 on');
  if (waitMs !== undefined && !(waitMs >= 0 && waitMs <= 86_400_000))
    throw bad('waitMs', 'ms from 0 to 86400000');
}

function bad(option: string, accepted: string): Error {
  return failure('PLM_APPROVAL_REQUEST', { option, accepted });
}
