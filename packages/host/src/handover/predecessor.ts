import type { Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { slots } from '@plimsoll/core/internal/slots';
import { readHandover, sessionMark, writeHandover } from '../protocol/handover-file.ts';
import type { SupervisorLink } from './supervisor-link.ts';

const pollMs = 20;
/** An old life that has not handed its sockets over within this time is stuck. */
const longestWaitMs = 60_000;
const loadingMs = 10_000;
/** A socket that no server of the program asks for within this time is closed. */
const unclaimedMs = 30_000;

/** A listening socket of the old life, and the connections that came before a server of the program took it. */
interface HandedSocket {
  readonly port: number;
  readonly server: Server;
  readonly early: Socket[];
}

/** A server of the program that waits for the socket of a port. */
interface Claim {
  readonly port: number;
  readonly take: (socket: HandedSocket | undefined) => void;
}

/**
 * The old life as the next life sees it. The next life gets the sockets before it listens, and knows which sessions the old life still
 * uses.
 */
export class Predecessor {
  readonly #dir: string;
  readonly #pid: number;
  #sockets: HandedSocket[] = [];
  #claims: Claim[] = [];
  #hasAll = false;
  #isAsked = false;

  constructor(dir: string, pid: number, link: Pick<SupervisorLink, 'onListener'>) {
    this.#dir = dir;
    this.#pid = pid;
    link.onListener(({ port }, server) => {
      if (port === undefined) this.#end();
      else if (server !== undefined) this.#add(port, server);
    });
  }

  /**
   * Hands the listening socket of the old life for a port over; undefined when it has none. The first call tells the old life that the
   * program is up. Port 0 gets the first socket that is left. `take` runs in the turn in which the socket arrives, before it is polled.
   */
  listener(port: number, take: (socket: HandedSocket | undefined) => void): void {
    const at = this.#sockets.findIndex((each) => port === 0 || each.port === port);
    if (at >= 0 || this.#hasAll) {
      const [found] = at < 0 ? [] : this.#sockets.splice(at, 1);
      take(found);
      return;
    }
    this.#claims.push({ port, take });
    if (this.#isAsked) return;
    this.#isAsked = true;
    void this.#wait().finally(() => this.#end());
  }

  #add(port: number, server: Server): void {
    const socket: HandedSocket = { port, server, early: [] };
    const at = this.#claims.findIndex((each) => each.port === 0 || each.port === port);
    if (at >= 0) {
      this.#claims.splice(at, 1)[0]?.take(socket);
      return;
    }
    this.#sockets.push(socket);
    server.on('connection', (connection) => socket.early.push(connection));
    setTimeout(() => {
      if (!this.#sockets.includes(socket)) return;
      this.#sockets = this.#sockets.filter((each) => each !== socket);
      server.close();
      for (const connection of socket.early) connection.destroy();
    }, unclaimedMs).unref();
  }

  /** All sockets have arrived, or no more will come. Servers that still wait listen by themselves. */
  #end(): void {
    this.#hasAll = true;
    const waiting = this.#claims;
    this.#claims = [];
    for (const { take } of waiting) take(undefined);
  }

  /** Tells the old life that a server of this process listens. */
  listening(): void {
    try {
      const found = readHandover(this.#dir);
      if (found?.from === this.#pid && found.phase === 'ready')
        writeHandover(this.#dir, { ...found, phase: 'listening' });
    } catch {
      // The old life waits for two seconds and goes on.
    }
  }

  /** Follows the old life to its end, for session caches that look for what it has not parked yet. */
  start(): void {
    const slot = (slots().handover ??= { servers: new Set() });
    slot.mayHold = (id) => this.#mayHold(id);
    void this.#follow().finally(() => {
      slot.mayHold = undefined;
    });
  }

  async #wait(): Promise<void> {
    try {
      // Loading our host takes up to a second of the event loop. The old life serves meanwhile.
      await Promise.race([slots().approvals?.loading, delay(loadingMs)]);
      const found = readHandover(this.#dir);
      if (found?.from !== this.#pid) return;
      writeHandover(this.#dir, { ...found, phase: 'ready', to: process.pid });
      const deadline = performance.now() + longestWaitMs;
      // Referenced: until it listens the program may have nothing else to do.
      while (!this.#hasAll && isAlive(this.#pid) && performance.now() < deadline) await delay(pollMs);
    } catch {
      // Without a folder there is no handover. The program listens as it would without us.
    }
  }

  /** The old life notes a session before it uses it, so that the file knows of every one that was answered there. */
  #mayHold(id: string): boolean {
    const found = readHandover(this.#dir);
    if (found?.from !== this.#pid) return false;
    return found.phase !== 'handed' || found.held?.includes(sessionMark(id)) === true;
  }

  async #follow(): Promise<void> {
    while (isAlive(this.#pid)) await delay(5 * pollMs, undefined, { ref: false });
  }
}
