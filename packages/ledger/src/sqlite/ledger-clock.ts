import type { Database } from './database.ts';

const day = 86_400_000;
/** A larger step of the wall clock counts as a leap and not as a pause of the program. */
const leapMs = day;
/** A leap is accepted when the program wrote at the new time for this long. */
const believeMs = 7 * day;

/** A leap of the wall clock that retention does not follow yet. */
export interface ClockLeap {
  /** Ms since the epoch by the entries of the ledger. */
  readonly from: number;
  /** Ms since the epoch by the wall clock. */
  readonly to: number;
}

/**
 * The clock for retention. It follows the wall clock as long as that continues from the newest entry. Otherwise a clock that is set three
 * years ahead would expire everything at once. After a leap it continues from the newest entry, and accepts the leap when seven days have
 * passed at the new time. Its state is in samples.db, because it has to outlive the process.
 */
export class LedgerClock {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Reads the wall clock. Returns the time for retention, and a leap if one was just noticed. `newest` is the time of the newest entry. */
  tick(wall: number, newest: () => number | undefined): { now: number; leap: ClockLeap | undefined } {
    return this.#db.transaction(() => {
      const known = this.#mark('clock') ?? newest() ?? wall;
      const seen = this.#mark('seen') ?? known;
      const since = this.#mark('leapt') ?? 0;
      const next = step({ clock: known, seen, since }, wall);
      this.#set('clock', next.clock);
      this.#set('seen', wall);
      this.#set('leapt', next.since);
      const isNew = next.since !== 0 && next.since !== since;
      return { now: next.clock, leap: isNew ? { from: known, to: wall } : undefined };
    });
  }

  #mark(name: string): number | undefined {
    const row = this.#db.get('SELECT value FROM mark WHERE name = ?', name);
    return row === undefined ? undefined : Number(row['value']);
  }

  #set(name: string, value: number): void {
    this.#db.run(
      'INSERT INTO mark VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value',
      name,
      Math.round(value),
    );
  }
}

interface State {
  /** The time for retention. */
  readonly clock: number;
  /** The wall clock when it was read last. */
  readonly seen: number;
  /** Wall time at which a leap was noticed that is not accepted yet; 0 without one. */
  readonly since: number;
}

function step({ clock, seen, since }: State, wall: number): { clock: number; since: number } {
  if (wall - clock <= leapMs) return { clock: Math.max(clock, wall), since: 0 };
  const passed = wall - seen;
  if (since === 0 || passed > believeMs || passed < -leapMs) return { clock, since: wall };
  if (wall - since >= believeMs) return { clock: wall, since: 0 };
  return { clock: passed > 0 && passed <= leapMs ? clock + passed : clock, since };
}
