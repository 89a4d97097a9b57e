/** One program of the benchmark: its source, how it is loaded, and what is true of it. */
export interface Program {
  readonly name: string;
  readonly leaks: boolean;
  /** For a leak: words of which one must stand in the first finding's trace or sentence. */
  readonly holder?: RegExp;
  readonly source: string;
  /** How long it runs. */
  readonly seconds: number;
  readonly load: LoadPlan;
  /** True for a program that loads the frameworks of the adapter tests. */
  readonly usesFrameworks?: boolean;
}

/** What the load process sends. */
export interface LoadPlan {
  /** Requests per second in the steady part. */
  readonly rate: number;
  /** Seconds over which the rate rises from a tenth; 0 for none. */
  readonly rampS?: number;
  /** The load stops at this second; the run goes on. */
  readonly untilS?: number;
  /** Bursts: every so many seconds the rate is five times as high for two seconds. */
  readonly burstS?: number;
  /** Number of session ids in use at once; a new id replaces one at random this often per request. */
  readonly sessions: number;
  readonly newSession: number;
  readonly bodyBytes: number;
}

/** Deterministic numbers for the variants of a seed. */
export class Dice {
  #state: number;

  constructor(seed: number, name: string) {
    this.#state = (seed * 2654435761) >>> 0;
    for (let i = 0; i < name.length; i++)
      this.#state = (Math.imul(this.#state, 31) + name.charCodeAt(i)) >>> 0;
    for (let i = 0; i < 5; i++) this.next();
  }

  next(): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return this.#state / 4294967296;
  }

  /** A whole number from low to high, evenly. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** A number between low and high, evenly on a logarithmic scale. */
  scale(low: number, high: number): number {
    return Math.round(low * (high / low) ** this.next());
  }
}

/** A kind of program, from which a seed makes one. */
export interface Kind {
  /** Words of which one must stand in the finding's trace or sentence. */
  readonly holder: RegExp;
  readonly load?: Partial<LoadPlan>;
  readonly minSeconds?: number;
  readonly body: (dice: Dice) => string;
}

/** The program of a kind, as a seed makes it. A kind that has a holder leaks. `head` is the source before its own. */
export function programOf(
  name: string,
  kind: Omit<Kind, 'holder'> & Partial<Pick<Kind, 'holder'>>,
  seed: number,
  head: string,
): Program {
  const { holder, body, minSeconds = 75, load } = kind;
  const dice = new Dice(seed, name);
  return {
    name,
    leaks: holder !== undefined,
    ...(holder !== undefined && { holder }),
    source: head + body(dice),
    seconds: Math.max(minSeconds, dice.whole(75, 110)),
    load: { rate: 40, sessions: 40, newSession: 0.2, bodyBytes: dice.scale(200, 2000), ...load },
  };
}
