import type { PlimsollError } from '@plimsoll/core';
import type { ReportBoard } from '../report-board.ts';
import type { LeaveReason } from './settings.ts';

/** A value whose teardown was given up; the cache has let go of it. */
export interface DeadLetter<V> {
  readonly id: string;
  readonly value: V;
  readonly reason: LeaveReason;
  readonly error: PlimsollError;
}

interface About {
  readonly id: string;
  readonly bytes: number;
  readonly reason: LeaveReason;
}

/** What a cache reports, by name of the event. */
export interface SessionCacheEvents {
  /** An entry left to make room. */
  readonly evict: About;
  /** An entry left because nobody used it, or because of its age. */
  readonly expire: About;
  /** An entry left because it was closed, replaced, shed or drained. */
  readonly close: About;
  /** The cache is above its bound and everything else is leased or vetoed; reported once until it fits again. */
  readonly overcommit: { readonly bytes: number; readonly leasedBytes: number; readonly entries: number };
  /** The owner kept an entry. */
  readonly veto: About;
  /** A teardown was given up. */
  readonly 'dispose-failed': About & { readonly error: PlimsollError };
  /** A hook threw or rejected, or gave something unusable. */
  readonly 'hook-failed': { readonly hook: string; readonly id: string; readonly cause: unknown };
  /** A lease is held for longer than `leaseWarning`. */
  readonly 'lease-held-long': HeldLease;
  readonly park: {
    readonly id: string;
    readonly bytes: number;
    readonly parkedBytes: number;
    readonly ms: number;
  };
  readonly restore: { readonly id: string; readonly bytes: number; readonly ms: number };
  readonly 'park-failed': { readonly id: string; readonly error: PlimsollError };
  readonly 'restore-failed': { readonly id: string; readonly error: unknown };
  /** A session left because another process may hold it: its claim on the shared lot ran out. Its leases are revoked. */
  readonly lost: { readonly id: string; readonly bytes: number; readonly error: PlimsollError };
  /** In weak mode: a value was collected although nobody closed it. */
  readonly collected: { readonly id: string; readonly bytes: number };
}

/** A lease that has not been released. */
export interface HeldLease {
  readonly id: string;
  readonly owner: string | undefined;
  readonly heldMs: number;
  /** Where it was taken, when stacks are recorded. */
  readonly stack: string | undefined;
}

export type SessionCacheEvent = keyof SessionCacheEvents;

/** The listeners of one cache. */
export type EventBoard = ReportBoard<SessionCacheEvents>;
