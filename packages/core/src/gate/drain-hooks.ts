import { warnOnce } from '../errors.ts';
import type { Level } from '../level.ts';
import { slots } from '../slots.ts';

/** What a hook is told when the process drains. */
interface DrainInfo {
  readonly reason: string;
  /** Wall time by which the hook should be done. */
  readonly deadlineAt: number;
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
}

/** What a hook may say about sessions that it kept by itself. */
export interface DrainOutcome {
  /** Sessions it saved where the next life finds them. */
  readonly parked?: number;
  readonly lost?: number;
}

/** Ends part of a program before a restart: closes the listening socket, waits for runs, saves what no keeper parks. */
export type DrainHook = (info: DrainInfo) => DrainOutcome | void | Promise<DrainOutcome | void>;

/** What a drain and restart is asked for. The lever decides about readiness, deadlines, jitter and how many per hour. */
export interface RestartRequest {
  readonly drainMs: number;
  readonly jitterMs: number;
  readonly atMost: { readonly count: number; readonly perMs: number };
  /** One sentence with the numbers; goes into the exit entry and the resume report. */
  readonly reason: string;
  readonly scope: string;
  readonly level: Level;
  /** A younger process is not restarted; 60 s when left out. */
  readonly minUptimeMs?: number;
  /** Most restarts in which the next life takes over first; 60 per hour when left out. `atMost` and `minUptimeMs` are about the others. */
  readonly handovers?: { readonly count: number; readonly perMs: number };
  /** Most bytes that the next life may take beside this one; 0 for no second life beside it. The supervisor decides when left out. */
  readonly overlapBytes?: number;
}

export type RestartAnswer =
  /** Begun, or already under way. */
  | {
      readonly state: 'draining';
      readonly exitAtMs?: number;
      /** Why a restart would have been refused: the process ends in order only because it is about to die. */
      readonly despite?: string;
    }
  /** Too many lately, or this process may not end itself. */
  | { readonly state: 'refused'; readonly why: string };

/** The lever that the ladder pulls: begins a drain and restart in the background, or says why not. Never waits, never throws. */
export type Restart = (request: RestartRequest) => RestartAnswer;

/** What the process keeps for its drain. The name tells whoever reads a heap snapshot that a path through it is ours and explains nothing. */
export class PlimsollDrain {
  readonly hooks = new Set<DrainHook>();
  /** Set by the host that governs this process. */
  restart: Restart | undefined = undefined;
}

/** More are a leak of hooks. */
const mostHooks = 100;

function slot(): PlimsollDrain {
  return (slots().drain ??= new PlimsollDrain());
}

/** Runs a function when the process is drained before a restart; returns its removal. Hooks run at the same time, each guarded. */
export function onDrain(hook: DrainHook): () => void {
  const { hooks } = slot();
  if (hooks.size >= mostHooks && !hooks.has(hook)) {
    warnOnce('PLM_RESTART_TOO_MANY_HOOKS', { most: mostHooks });
    return () => undefined;
  }
  hooks.add(hook);
  return removalOf(hook);
}

/** Made apart: a closure that shares a context with the set would hold every other hook, too. */
function removalOf(hook: DrainHook): () => void {
  return () => void slot().hooks.delete(hook);
}

/** The hooks that are registered now. */
export function drainHooks(): readonly DrainHook[] {
  return [...slot().hooks];
}

/** Gives this process the lever that restarts it; undefined takes it away. */
export function setRestart(restart: Restart | undefined): void {
  slot().restart = restart;
}

/**
 * Asks for a drain and restart from the program itself, such as an admin route: within the bounds that hold for every restart (at most 3
 * per hour, not in the first minute). Refused when this process is not governed.
 */
export function requestRestart(
  reason: string,
  options: Partial<Pick<RestartRequest, 'drainMs' | 'jitterMs' | 'minUptimeMs' | 'overlapBytes'>> = {},
): RestartAnswer {
  const { restart } = slot();
  if (restart === undefined) return { state: 'refused', why: 'this process is not governed' };
  const { drainMs = 30_000, jitterMs = 0 } = options;
  return restart({
    drainMs,
    jitterMs,
    atMost: { count: 3, perMs: 3_600_000 },
    reason,
    scope: 'process',
    level: 'normal',
    ...(options.minUptimeMs === undefined ? {} : { minUptimeMs: options.minUptimeMs }),
    ...(options.overlapBytes === undefined ? {} : { overlapBytes: options.overlapBytes }),
  });
}
