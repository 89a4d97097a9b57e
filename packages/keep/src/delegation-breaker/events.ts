import type { PlimsollError } from '@plimsoll/core';

/** What a delegation may be refused for. */
export type DelegationLimit =
  | 'depth'
  | 'fan-out'
  | 'live'
  | 'queue'
  | 'total'
  | 'tokens'
  | 'bytes'
  | 'time'
  | 'cycle'
  | 'ping-pong'
  | 'reentry'
  | 'failures'
  | 'approval'
  | 'paused'
  | 'cancelled'
  | 'closed';

/** The error of a delegation that was refused. */
export interface DelegationDenied extends PlimsollError {
  readonly limit: DelegationLimit;
  /** Agents from the root to the one refused. */
  readonly path: readonly string[];
}

/** What a breaker reports, by name of the event. */
export interface DelegationEvents {
  readonly denied: {
    readonly agent: string;
    readonly limit: DelegationLimit;
    readonly path: readonly string[];
    readonly why: string;
  };
  /** A delegation was over while delegations of its own still ran. Nobody waits for them. */
  readonly outlived: {
    readonly agent: string;
    readonly path: readonly string[];
    readonly children: readonly string[];
  };
  readonly cancelled: {
    readonly agent: string;
    readonly path: readonly string[];
    readonly reason: string;
    readonly delegations: number;
  };
  /** An agent failed so often that it is left alone for a while. */
  readonly 'agent-open': { readonly agent: string; readonly failures: number; readonly untilMs: number };
  /** One delegation to the agent is let through to see whether it works again. */
  readonly 'agent-probe': { readonly agent: string };
  readonly 'agent-closed': { readonly agent: string };
  readonly 'hook-failed': { readonly hook: string; readonly agent: string; readonly cause: unknown };
}
