/** One situation that every variant is put into. Everything that follows from chance follows from `seed`. */
export interface Scenario {
  readonly name: string;
  readonly seed: number;
  /** Old space of the server: its memory budget. */
  readonly heapMiB: number;
  readonly users: number;
  /** Mean pause of a user between two turns. */
  readonly thinkMs: number;
  readonly durationMs: number;
  /** Usual size of a document that a tool fetches. */
  readonly payload: string;
  /** Share of users who leave in the middle of a reply and never close their session. */
  readonly abandonRatio: number;
  /** The server closes a session that nobody used for so long. */
  readonly idle: string;
  /** Null for a server that does not leak. */
  readonly leak: string | null;
}

/** V8 may abort from this share of old space on, so this much of it is the budget. */
export const usableRatio = 0.8;

const mib = 1024 ** 2;

export function budgetBytes({ heapMiB }: Scenario): number {
  return usableRatio * heapMiB * mib;
}

/**
 * Two ways to ask for more than three times the budget, and one that fits into it:
 * - `leak`: closed sessions stay in a map, which nothing in the process can mend; the way out is a restart that loses nobody.
 * - `crowd`: users leave and never close, and the server keeps their sessions for an hour; there is enough to park.
 * - `calm`: the same load, with the sessions that nobody uses closed after a moment.
 */
export function scenariosOf(
  quick: boolean,
  env: NodeJS.ProcessEnv,
): Readonly<Record<'leak' | 'crowd' | 'calm', Scenario>> {
  const base = {
    seed: 7,
    heapMiB: quick ? 128 : 224,
    users: 12,
    thinkMs: 250,
    durationMs: env['PLIMSOLL_LONG'] === '1' ? 600_000 : quick ? 40_000 : 75_000,
    payload: '192KiB',
  };
  return {
    leak: { ...base, name: 'leak', abandonRatio: 0.1, idle: '5s', leak: 'session-map' },
    crowd: { ...base, name: 'crowd', abandonRatio: 0.8, idle: '1h', leak: null },
    calm: { ...base, name: 'calm', abandonRatio: 0.1, idle: '5s', leak: null },
  };
}

/** Flags of the example server for this scenario; its outside world is fast, so that a minute holds what an hour would. */
export function serverFlags({ seed, payload, leak, idle }: Scenario, port: number): readonly string[] {
  const flags = ['--port', String(port), '--seed', String(seed), '--payload', payload];
  flags.push('--token-ms', '1', '--tool-ms', '2', '--idle', idle);
  if (leak !== null) flags.push('--leak', leak);
  return flags;
}
