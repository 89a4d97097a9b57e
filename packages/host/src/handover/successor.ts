import diagnostics from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import net from 'node:net';
import type { Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Keeper } from '@plimsoll/core/keeper';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { slots } from '@plimsoll/core/internal/slots';
import { readHandover, sessionMark, writeHandover } from '../protocol/handover-file.ts';
import type { Handover } from '../protocol/handover-file.ts';
import type { SupervisorLink } from './supervisor-link.ts';

/** Node.js publishes each request here when an HTTP server begins to answer it. */
const requests = 'http.server.request.start';
const pollMs = 20;
/** Longest wait for the supervisor's answer. */
const answerMs = 2000;
const startMs = 30_000;
const listenMs = 2000;
/** Time for parking unused sessions before the next life may ask for them. */
const parkMs = 2000;
const parkAgainMs = 100;
/** Idle connections of HTTP are closed by Node.js after 5 s. */
const connectionsMs = 6000;

interface LeasingKeeper extends Keeper {
  leases(): readonly { readonly id: string }[];
}

/**
 * The next life as the old life sees it. The old life asks for it, waits until it is up, and hands over the port and the unused sessions.
 */
export class Successor {
  readonly #dir: string;
  readonly #link: Pick<SupervisorLink, 'send'>;
  readonly #servers: ReadonlySet<Server>;
  readonly #onRequest = (message: unknown): void => answerAndClose(message);
  #isOver = false;

  constructor(dir: string, link: Pick<SupervisorLink, 'send'>) {
    this.#dir = dir;
    this.#link = link;
    this.#servers = (slots().handover ??= { servers: new Set() }).servers;
  }

  /** Whether there is something to hand over. */
  get isPossible(): boolean {
    return !this.#isOver && this.#listening().length > 0;
  }

  /**
   * Asks for the next life and waits until it is about to listen. Resolves with the reason when there will be none, else with undefined.
   * Meanwhile every response closes its connection, so that few connections are cut off later.
   */
  async ready(mostBytes: number | null): Promise<string | undefined> {
    if (this.#listening().length === 0) return 'no server of it listens on a port';
    diagnostics.subscribe(requests, this.#onRequest);
    const own = { from: process.pid, mostBytes };
    writeHandover(this.#dir, { ...own, phase: 'wanted' });
    const answer = await this.#until(({ phase }) => phase !== 'wanted', answerMs);
    if (answer === undefined) return 'its supervisor does not answer';
    const up = await this.#until(({ phase }) => phase !== 'starting', startMs);
    if (up?.phase === 'ready' && up.to !== undefined && isAlive(up.to)) return undefined;
    diagnostics.unsubscribe(requests, this.#onRequest);
    if (up?.phase === 'alone') return up.why ?? 'its supervisor starts no second life';
    writeHandover(this.#dir, { ...own, phase: 'alone', why: 'the next life was not up in time' });
    return 'the next life was not up in time';
  }

  /**
   * Hands the listening sockets to the next life, stops listening, and parks unused sessions. Requests in flight go on. Both lives have the
   * same sockets, so a connection that waits to be accepted is accepted by one of them.
   */
  async handOver(keepers: readonly Keeper[]): Promise<void> {
    const found = readHandover(this.#dir);
    if (found === undefined) return;
    for (const { server, port } of this.#listening())
      await this.#link.send({ plimsoll: 'listener', port }, server);
    await this.#link.send({ plimsoll: 'listener' });
    const now = (await this.#until(({ phase }) => phase === 'listening', listenMs)) ?? found;
    if (now.phase !== 'listening' && !isAlive(found.to ?? 0)) throw new Error('the next life ended');
    for (const server of this.#servers) stopListening(server);
    const held = new Set<string>();
    let isHanded = false;
    const tell = (): void => writeHandover(this.#dir, { ...now, phase: 'handed', held: [...held] });
    // A request that was accepted before may ask for its session later.
    (slots().handover ??= { servers: new Set() }).claimed = (id) => {
      const mark = sessionMark(id);
      if (held.has(mark)) return;
      held.add(mark);
      if (isHanded) tell();
    };
    // This comes before parking: a session that is released in between would be neither parked nor noted.
    for (const keeper of keepers)
      if (isLeasing(keeper)) for (const { id } of keeper.leases()) held.add(sessionMark(id));
    await Promise.race([parkIdle(keepers), delay(parkMs, undefined, { ref: false })]);
    isHanded = true;
    tell();
  }

  /** Waits for the last connection to end; false at the deadline. Sessions that are no longer used are parked meanwhile. */
  async connectionsEnded(keepers: readonly Keeper[], mostMs: number): Promise<boolean> {
    const deadline = performance.now() + Math.min(mostMs, connectionsMs);
    while ((await this.#connections()) > 0) {
      if (this.#isOver || performance.now() >= deadline) return false;
      await delay(parkAgainMs);
      await Promise.race([parkIdle(keepers), delay(parkMs, undefined, { ref: false })]);
    }
    return true;
  }

  stop(): void {
    this.#isOver = true;
    diagnostics.unsubscribe(requests, this.#onRequest);
  }

  /** Servers with a socket of their own. The primary of a cluster has handed the sockets of its workers to them. */
  #listening(): readonly { readonly server: Server; readonly port: number }[] {
    return [...this.#servers].flatMap((server) => {
      const address = server.address();
      return address === null || typeof address === 'string' ? [] : [{ server, port: address.port }];
    });
  }

  async #connections(): Promise<number> {
    const counts = [...this.#servers].map(
      (server) =>
        new Promise<number>((resolve) => {
          server.getConnections((error, count) => resolve(error ? 0 : count));
        }),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  async #until(isThere: (handover: Handover) => boolean, mostMs: number): Promise<Handover | undefined> {
    const deadline = performance.now() + mostMs;
    while (!this.#isOver && performance.now() < deadline) {
      const found = readHandover(this.#dir);
      if (found?.from === process.pid && isThere(found)) return found;
      await delay(pollMs);
    }
    return undefined;
  }
}

function answerAndClose(message: unknown): void {
  const { response } = message as { readonly response?: ServerResponse };
  if (response !== undefined && !response.headersSent) response.setHeader('Connection', 'close');
}

/** Closes only the listening socket. An HTTP server would also close idle connections, on which a request may be arriving. */
function stopListening(server: Server): void {
  net.Server.prototype.close.call(server);
  // The program may also close the server, in a hook of its own.
  server.close = (callback?: (error?: Error) => void): Server => {
    if (callback !== undefined) server.once('close', callback);
    (server as { closeIdleConnections?: () => void }).closeIdleConnections?.();
    return server;
  };
}

async function parkIdle(keepers: readonly Keeper[]): Promise<void> {
  const caches = keepers.filter(isLeasing);
  await Promise.allSettled(
    caches.map((cache) => cache.shed({ bytes: Number.MAX_SAFE_INTEGER, reason: 'handover' })),
  );
}

function isLeasing(keeper: Keeper): keeper is LeasingKeeper {
  return typeof (keeper as Partial<LeasingKeeper>).leases === 'function';
}
