/** The one situation that every variant is put into. Everything that follows from chance follows from `seed`. */
export interface Scenario {
  readonly seed: number;
  /** Old space of the server: its memory budget. */
  readonly heapMiB: number;
  readonly users: number;
  /** Mean pause of a user between two turns. */
  readonly thinkMs: number;
  readonly durationMs: number;
  /** Usual size of a document that a tool fetches. */
  readonly payload: string;
  /** Null for a server that does not leak. */
  readonly leak: string | null;
}

/** V8 may abort from this share of old space on, so this much of it is the budget. */
export const usableRatio = 0.8;

const mib = 1024 ** 2;

export function budgetBytes({ heapMiB }: Scenario): number {
  return usableRatio * heapMiB * mib;
}

/** Half a minute in a quick run, a good minute usually, ten with PLIMSOLL_LONG=1. */
export function scenarioOf(quick: boolean, env: NodeJS.ProcessEnv): Scenario {
  const durationMs = env['PLIMSOLL_LONG'] === '1' ? 600_000 : quick ? 30_000 : 75_000;
  return {
    seed: 7,
    heapMiB: quick ? 96 : 160,
    users: 24,
    thinkMs: 400,
    durationMs,
    payload: '64KiB',
    leak: 'session-map',
  };
}

/** Flags of the example server for this scenario; its outside world is fast, so that a minute holds what an hour would. */
export function serverFlags({ seed, payload, leak }: Scenario, port: number): readonly string[] {
  const flags = ['--port', String(port), '--seed', String(seed), '--payload', payload];
  flags.push('--token-ms', '0.5', '--tool-ms', '2', '--idle', '10s');
  if (leak !== null) flags.push('--leak', leak);
  return flags;
}
