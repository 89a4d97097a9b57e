import { isAlive } from '@plimsoll/core/internal/is-alive';
import type { Database } from '../sqlite/database.ts';
import type { RunInfo } from '../sqlite/samples-store.ts';
import { connect } from './client.ts';
import type { PgClient } from './client.ts';
import type {
  FleetFirst,
  FleetHealth,
  FleetLinkState,
  FleetNews,
  FleetSettings,
  FleetVote,
} from './fleet-options.ts';
import { migrate, needSchema } from './migrate.ts';
import { fleetApprovalId, shipAudit } from './ship-audit.ts';
import { daysOf, shipSamples } from './ship-samples.ts';
import type { SpooledLife, Spool } from './spool.ts';
import { makePartition, upkeep } from './upkeep.ts';
import { VoteListener } from './vote-listener.ts';

const dayMs = 86_400_000;
const mostEntries = 500;
const mostBytes = 256 * 1024;
const wakeMs = 100;
const longestPauseMs = 60_000;
const upkeepMs = 60_000;
const closeMs = 1000;

export interface ShipperParts {
  readonly settings: FleetSettings;
  readonly run: RunInfo;
  readonly spool: Spool;
  /** The open audit.db. It is replaced when it was damaged. */
  readonly audit: () => Database;
  /** Told of every change of health. */
  readonly changed: (health: FleetHealth) => void;
  /** Told of the findings that were shipped. */
  readonly findings: (findings: readonly FleetFirst[]) => void;
  readonly vote: (votes: readonly FleetVote[]) => void;
  /** Ships entries of dead processes beside this one. It is called once a minute when its own entries are shipped. */
  readonly rest?: (over: AbortSignal) => Promise<unknown>;
  readonly now?: () => number;
  readonly open?: typeof connect;
}

/**
 * Sends local entries to the fleet's database at its own interval. Nothing waits for it, so a slow, full or missing database only makes the
 * spool longer. It uses one connection and one transaction at a time, each with a deadline after which the connection is closed.
 */
export class Shipper {
  readonly #parts: ShipperParts;
  readonly #now: () => number;
  readonly #days = new Set<number>();
  readonly #over = new AbortController();
  #client: PgClient | undefined;
  #listener: VoteListener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #working: Promise<void> | undefined;
  #failures = 0;
  #isClosed = false;
  /** True while entries of dead processes are being shipped. */
  #isResting = false;
  #state: FleetLinkState = 'connecting';
  #lastError: string | undefined;
  #skewMs = 0;
  #upkeepAt: number;
  #processId: string | undefined;
  #news: FleetNews = { forecast: null, mode: null, policyVersion: null };

  constructor(parts: ShipperParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    // Random, so that forty pods that start together do not all ask for the lock at once.
    this.#upkeepAt = performance.now() + Math.random() * upkeepMs;
  }

  start(): void {
    this.#arm(0);
  }

  /** Starts a round soon, because an audit entry should not wait. After a failure the pause is kept. */
  wake(): void {
    if (this.#failures === 0) this.#arm(wakeMs);
  }

  /**
   * Takes facts of the host. A new policy is shipped at once, so that the progress of a roll-out is visible. Other facts wait for the next
   * round.
   */
  tell(news: FleetNews): void {
    const { mode, policyVersion } = this.#news;
    this.#news = news;
    if (news.mode !== mode || news.policyVersion !== policyVersion) this.wake();
  }

  get health(): FleetHealth {
    const { spool } = this.#parts;
    return {
      state: this.#state,
      processId: this.#processId,
      waitingBatches: spool.waiting,
      waitingEntries: this.#waitingEntries(),
      lostSamples: spool.lost,
      lastError: this.#lastError,
    };
  }

  /** Runs one more round if the database answers, for a second at most. Unshipped entries stay in the spool for the next life. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#over.abort();
    clearTimeout(this.#timer);
    const last = async (): Promise<void> => {
      await this.#working;
      if (this.#state === 'up') await this.#round();
    };
    let timer: NodeJS.Timeout | undefined;
    const until = new Promise<void>((done) => {
      timer = setTimeout(done, closeMs);
    });
    await Promise.race([last().catch(() => undefined), until]);
    clearTimeout(timer);
    await this.#disconnect();
  }

  /**
   * Ships all entries of a folder whose processes are gone, once, and marks them as ended in the fleet. Rejects when the database refuses.
   */
  async shipRest(): Promise<void> {
    this.#isClosed = true;
    try {
      const client = await this.#connected();
      await this.#shipAudit(client);
      if (this.#parts.spool.waiting > 0) await this.#shipSamples(client);
      await this.#end(client, this.#parts.spool.lives());
    } finally {
      await this.#disconnect();
    }
  }

  #arm(ms: number): void {
    const at = performance.now() + ms;
    if (this.#isClosed || at >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = setTimeout(() => {
      this.#dueAt = Number.POSITIVE_INFINITY;
      if (this.#working !== undefined) {
        // The new entry may have come too late for the round that is under way.
        void this.#working.then(() => this.#arm(wakeMs));
        return;
      }
      this.#working = this.#work().finally(() => {
        this.#working = undefined;
        const { shipMs } = this.#parts.settings;
        const pause =
          this.#failures === 0 ? shipMs : Math.min(longestPauseMs, shipMs * 2 ** (this.#failures - 1));
        // A random tenth more or less, so that a fleet that was cut off does not reconnect at the same moment.
        this.#arm(pause * (0.9 + Math.random() * 0.2));
      });
    }, ms);
  }

  async #work(): Promise<void> {
    try {
      await this.#round();
      this.#failures = 0;
      this.#tellState('up', undefined);
    } catch (error) {
      this.#failures++;
      await this.#disconnect();
      this.#tellState('down', error instanceof Error ? error.message : String(error));
    }
  }

  /** Everything that waits, oldest first. */
  async #round(): Promise<void> {
    const client = await this.#connected();
    const { spool, settings } = this.#parts;
    spool.expire(this.#now() - settings.spoolMs);
    await this.#shipAudit(client);
    await this.#shipSamples(client);
    if (this.#listener !== undefined) await this.#within(this.#listener.look());
    if (performance.now() < this.#upkeepAt || this.#isClosed) return;
    this.#upkeepAt = performance.now() + upkeepMs * (0.9 + Math.random() * 0.2);
    for (let more = true; more && !this.#isClosed;)
      ({ more } = await this.#within(upkeep(client, this.#now() - this.#skewMs)));
    // With a connection of its own, so that decisions on approvals do not wait for it.
    const { rest } = this.#parts;
    if (rest === undefined || this.#isResting) return;
    this.#isResting = true;
    void rest(this.#over.signal)
      .catch(() => undefined)
      .finally(() => (this.#isResting = false));
  }

  async #connected(): Promise<PgClient> {
    if (this.#client !== undefined) return this.#client;
    const { settings, open = connect } = this.#parts;
    const client = await open(settings.url, {
      statementMs: settings.deadlineMs,
      connectMs: Math.min(5000, settings.deadlineMs),
    });
    this.#client = client;
    const before = this.#now();
    const [row] = await this.#within(
      client.query<{ at: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as at'),
    );
    this.#skewMs = Math.round((before + this.#now()) / 2 - (row?.at ?? before));
    await this.#within(migrate(client).catch(() => needSchema(client)));
    // Upkeep makes it days ahead, unless no process ran then.
    await this.#within(makePartition(client, 'entry', this.#now() - this.#skewMs));
    for (const life of this.#parts.spool.lives()) await this.#register(client, life);
    this.#listener = new VoteListener(client, {
      process: () => this.#processId,
      vote: this.#parts.vote,
      suffix: fleetApprovalId('', this.#parts.run.id),
      wake: () => this.wake(),
    });
    return client;
  }

  /** Registers a life. When another writer has its id, it takes a new one. */
  async #register(client: PgClient, life: SpooledLife): Promise<SpooledLife> {
    const { service, release, host, node, live = null } = life.identity;
    const { spool, run } = this.#parts;
    const [row] = await this.#within(
      client.query<{ token: string }>(
        `with added as (insert into plimsoll.process (id, token, service, release, host, pid, node, started, chain, live)
           values ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8::float8 / 1000), $9, $10) on conflict (id) do nothing returning token)
         select token from added union all select token from plimsoll.process where id = $1`,
        [
          life.process,
          life.token,
          service,
          release,
          host,
          life.pid,
          node,
          life.started - this.#skewMs,
          spool.chain.id,
          live,
        ],
      ),
    );
    if (row !== undefined && row.token !== life.token) return this.#register(client, spool.rename(life));
    if (life.run === run.id) this.#processId = life.process;
    return life;
  }

  async #shipAudit(client: PgClient): Promise<void> {
    const { spool, settings, findings } = this.#parts;
    for (;;) {
      const cursor = spool.chain;
      const result = await this.#within(
        shipAudit(client, this.#parts.audit(), {
          cursor,
          host: settings.identity.host,
          skewMs: this.#skewMs,
          lifeOf: ({ run, pid, at }) =>
            spool.life(run) ?? (pid === undefined ? undefined : spool.lifeOfPid(pid, at)),
          most: mostEntries,
        }),
      );
      if (result.isForked) {
        spool.newChain(cursor.id);
        continue;
      }
      if (result.seq !== cursor.seq) spool.moved(result.seq);
      if (result.findings.length > 0) findings(result.findings);
      if (result.sent < mostEntries) return;
    }
  }

  /** Ships waiting samples. Without samples the call is only the sign of life. */
  async #shipSamples(client: PgClient): Promise<void> {
    const { spool, run } = this.#parts;
    for (;;) {
      const batches = spool.oldest(mostBytes);
      const life = spool.life(batches[0]?.run ?? run.id);
      if (life === undefined) {
        spool.shipped(batches[0]?.run ?? 0, Number.MAX_SAFE_INTEGER);
        continue;
      }
      const now = this.#now() - this.#skewMs;
      const window = { batches, skewMs: this.#skewMs, since: now - this.#parts.settings.spoolMs, now };
      for (const day of daysOf(window)) await this.#makeDay(client, day);
      const news = life.run === run.id ? this.#news : { forecast: null, mode: null, policyVersion: null };
      const result = await this.#within(shipSamples(client, { ...window, life, news }));
      if (result.isTaken) {
        await this.#register(client, life);
        continue;
      }
      if (result.outside > 0) spool.lose(life.run, result.outside);
      const last = batches.at(-1);
      if (last !== undefined) spool.shipped(life.run, last.batch.number);
      if (spool.waiting > 0) continue;
      await this.#endOthers(client);
      return;
    }
  }

  async #makeDay(client: PgClient, day: number): Promise<void> {
    if (this.#days.has(day)) return;
    for (const parent of ['sample', 'scope_batch'])
      await this.#within(makePartition(client, parent, day * dayMs));
    if (this.#days.size > 100) this.#days.clear();
    this.#days.add(day);
  }

  /** Ends earlier lives whose process is gone without an exit entry, because no other process does. */
  async #endOthers(client: PgClient): Promise<void> {
    const { spool, run } = this.#parts;
    const gone = spool
      .lives()
      .filter((life) => life.run !== run.id && (life.pid === run.pid || !isAlive(life.pid)));
    await this.#end(client, gone);
  }

  /** Marks lives as ended. Late shipments renewed the sign of life, so the time of the newest sample is the end. */
  async #end(client: PgClient, lives: readonly SpooledLife[]): Promise<void> {
    for (const life of lives) {
      await this.#within(
        client.query(
          "update plimsoll.process set ended = coalesce(sampled, last_seen), outcome = 'lost: it ended without a word' where id = $1 and token = $2 and ended is null",
          [life.process, life.token],
        ),
      );
      this.#parts.spool.over(life.run);
    }
  }

  /** Work on the database with a deadline, because a suspended server does not even refuse. */
  async #within<T>(work: Promise<T>): Promise<T> {
    const { deadlineMs } = this.#parts.settings;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
    });
    work.catch(() => undefined);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#days.clear();
    this.#listener?.close();
    this.#listener = undefined;
    await client?.close();
  }

  #waitingEntries(): number {
    try {
      const head = this.#parts.audit().number('SELECT coalesce(max(seq), 0) FROM audit');
      return Math.max(0, head - this.#parts.spool.chain.seq);
    } catch {
      return 0;
    }
  }

  #tellState(state: FleetLinkState, error: string | undefined): void {
    this.#state = state;
    this.#lastError = error;
    this.#parts.changed(this.health);
  }
}
