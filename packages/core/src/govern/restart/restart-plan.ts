/** The exit code of a process that ended to be started again; `plimsoll run` starts it anew. BSD's EX_TEMPFAIL: try again. */
export const restartExitCode = 75;

/** What a policy says about restarting: `process.restart` of a ladder. */
export interface RestartRules {
  /** How long runs may go on, default 30 s. */
  readonly drainMs: number;
  /** The drain begins at a random time within this, so that a fleet does not go at once. */
  readonly jitterMs: number;
  /** Most restarts per hour over all lives of the program. */
  readonly maxPerHour: number;
  /** A process that lives for less than this is not restarted: it would only come back to the same place. */
  readonly minUptimeMs: number;
}

/** Why somebody asks for a restart. */
export interface RestartRequest {
  /** One sentence with the numbers, without content. */
  readonly reason: string;
  /** The rung that asks. */
  readonly rule: string;
  readonly level: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** What the planner answers: it never waits and never throws. */
export type RestartDecision =
  | { readonly verdict: 'begun'; readonly startsInMs: number; readonly exitsByMs: number }
  | { readonly verdict: 'under-way' }
  | {
      readonly verdict: 'refused';
      readonly why: 'too-many' | 'too-young' | 'no-supervisor' | 'nobody';
      readonly text: string;
    };

/** The lever that the ladder pulls: starts a drain and restart in the background, or says why not. */
export type Restart = (request: RestartRequest, rules: RestartRules) => RestartDecision;
