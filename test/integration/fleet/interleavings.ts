/** Three deciders and the process that asks fight over each approval while the database fails at random places. */
import { isPlimsollError } from '@plimsoll/core';
import { DeskRig, ruleOf } from '@plimsoll/govern/internal/approvals/desk.fixture';
import { decideApproval } from '@plimsoll/ledger/internal/postgres/approvals';
import type { PgClient, PgRow, PgSession, PgValue } from '@plimsoll/ledger/internal/postgres/client';
import { VoteListener } from '@plimsoll/ledger/internal/postgres/vote-listener';

export interface Interleavings {
  readonly rounds: number;
  /** Statements and answers that were made to fail. */
  readonly failures: number;
  /** Approvals that were decided twice, ran twice, or differ between database and process. */
  readonly double: number;
  /** Decisions that were acknowledged and are not in the database, or that the process did not take. */
  readonly lost: number;
}

/** A client that fails before a transaction, in the middle of it, or after it was committed and before the answer arrived. */
class FailingClient implements PgClient {
  failures = 0;
  readonly #client: PgClient;
  readonly #random: () => number;

  constructor(client: PgClient, random: () => number) {
    this.#client = client;
    this.#random = random;
  }

  async query<T = PgRow>(text: string, values?: readonly PgValue[]): Promise<readonly T[]> {
    this.#fail(0.1);
    return this.#client.query<T>(text, values);
  }

  async transaction<T>(body: (session: PgSession) => Promise<T>): Promise<T> {
    this.#fail(0.1);
    const result = await this.#client.transaction((session) =>
      body({
        query: (text, values) => {
          this.#fail(0.03);
          return session.query(text, values);
        },
      }),
    );
    this.#fail(0.15);
    return result;
  }

  exec(text: string): Promise<void> {
    return this.#client.exec(text);
  }

  listen(): Promise<() => Promise<void>> {
    return Promise.resolve(() => Promise.resolve());
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #fail(share: number): void {
    if (this.#random() >= share) return;
    this.failures++;
    throw new Error('the database failed');
  }
}

export async function interleave(client: PgClient, rounds: number, seed: number): Promise<Interleavings> {
  const random = randomOf(seed);
  const failing = new FailingClient(client, random);
  const process = `pod-${seed}`;
  let double = 0;
  let lost = 0;
  for (let round = 0; round < rounds; round++) {
    using rig = new DeskRig(ruleOf({ by: ['user:a', 'user:b', 'user:c'] }));
    const { id } = rig.ask();
    const { digest } = rig.desk.row(id) ?? { digest: '' };
    const fleetId = `${seed}-${round}`;
    await client.query(
      `insert into plimsoll.approval (id, process_id, deadline, default_answer, digest, body)
       values ($1, $2, now() + interval '1 hour', 'deny', $3, jsonb_build_object('id', $4::text))`,
      [fleetId, `${process}-${round}`, digest, id],
    );
    const listener = new VoteListener(failing, {
      process: () => `${process}-${round}`,
      suffix: '-',
      wake: () => undefined,
      vote: (votes) => {
        for (const vote of votes) attempt(() => rig.desk.decide(vote));
      },
    });
    const deciders = ['a', 'b', 'c'].map(async (name) => {
      const decision = random() < 0.5 ? ('approve' as const) : ('deny' as const);
      const who = { by: `user:${name}`, groups: [], isOwner: false, channel: 'test', origin: 'here' };
      const decide = (): Promise<unknown> =>
        decideApproval(failing, { id: fleetId, decision, key: name, digest, ...who });
      return (await untilAnswered(decide)) ? { name, decision } : undefined;
    });
    const asking = (async () => {
      for (let left = 5000; rig.desk.row(id)?.state === 'open' && left > 0; left--) {
        await listener.look().catch(() => undefined);
        rig.desk.tick();
      }
      rig.desk.tick();
      const state = rig.desk.row(id)?.state ?? '';
      await untilAnswered(() =>
        failing.query('update plimsoll.approval set applied = $2, applied_at = now() where id = $1', [
          fleetId,
          state,
        ]),
      );
    })();
    const taken = (await Promise.all(deciders)).filter((each) => each !== undefined);
    await asking;
    const [row] = await client.query<{ state: string; applied: string }>(
      'select state, applied from plimsoll.approval where id = $1',
      [fleetId],
    );
    const votes = await client.query<{ voter: string; decision: string }>(
      'select voter, decision from plimsoll.approval_vote where approval_id = $1',
      [fleetId],
    );
    const ran = rig.ran.length;
    if (row?.state !== row?.applied || votes.length !== 1 || ran !== (row?.state === 'approved' ? 1 : 0))
      double++;
    if (
      taken.length !== 1 ||
      taken[0]?.decision !== votes[0]?.decision ||
      `user:${taken[0]?.name}` !== votes[0]?.voter
    )
      lost++;
  }
  return { rounds, failures: failing.failures, double, lost };
}

/** Repeats with the same key until there is an answer; false when somebody else was first. */
async function untilAnswered(work: () => Promise<unknown>): Promise<boolean> {
  for (let left = 100; ; left--) {
    try {
      await work();
      return true;
    } catch (error) {
      if (isPlimsollError(error)) return false;
      if (left === 0) throw error;
    }
  }
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // Decided meanwhile.
  }
}

/** Repeatable numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.trunc(state + 0x6d_2b_79_f5);
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
