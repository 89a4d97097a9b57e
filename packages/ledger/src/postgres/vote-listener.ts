import type { PgClient } from './client.ts';
import type { FleetVote } from './fleet-options.ts';

interface VoteListenerOptions {
  /** Id of this process in the fleet. */
  readonly process: () => string | undefined;
  readonly vote: (votes: readonly FleetVote[]) => void;
  /** Suffix of the ids of this process's approvals. */
  readonly suffix: string;
  /** Asks for a round soon. */
  readonly wake: () => void;
}

/**
 * Votes of operators elsewhere on approvals of this process. It asks at every round. While an approval is open it also listens, so that an
 * answer is taken within a moment. After a lost notification the next round finds the vote. The connection is held only while an approval
 * is open.
 */
export class VoteListener {
  readonly #client: PgClient;
  readonly #options: VoteListenerOptions;
  #stop: (() => Promise<void>) | undefined;
  #isClosed = false;

  constructor(client: PgClient, options: VoteListenerOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Hands over every vote on an open approval. The desk uses the key to take each vote once. */
  async look(): Promise<void> {
    const id = this.#options.process();
    if (id === undefined || this.#isClosed) return;
    const open = await this.#client.query<FleetVote & { readonly key: string | null }>(
      `select a.body->>'id' as id, a.digest, v.decision, v.voter as by, to_json(v.groups) as groups, v.is_owner as "isOwner", v.channel || ' from ' || v.origin as channel,
         v.comment, v.key from plimsoll.approval a left join plimsoll.approval_vote v on v.approval_id = a.id
       where a.process_id = $1 and a.applied is null and a.deadline > now() - interval '1 hour' order by v.at`,
      [id],
    );
    const votes = open.filter(({ key }) => key !== null) as readonly FleetVote[];
    if (votes.length > 0) this.#options.vote(votes);
    if (open.length > 0) await this.#listen();
    else await this.#unlisten();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop = undefined;
  }

  async #listen(): Promise<void> {
    if (this.#stop !== undefined || this.#isClosed) return;
    const { suffix, wake } = this.#options;
    this.#stop = await this.#client.listen(
      'plimsoll_approval',
      (id) => {
        if (id.endsWith(suffix)) wake();
      },
      () => {
        this.#stop = undefined;
      },
    );
    // A vote may have come between the query and the start of listening.
    wake();
  }

  async #unlisten(): Promise<void> {
    const stop = this.#stop;
    this.#stop = undefined;
    await stop?.();
  }
}
