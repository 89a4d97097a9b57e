import diagnostics from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import { Server } from 'node:net';
import { ContainerCounts, type GrownContainer } from './container-counts.ts';

/** V8's ids of the scripts that belong to the program; undefined while none is known. */
type ProgramScripts = ReadonlySet<string> | undefined;

/** Node.js tells here of each connection that a server accepts. */
const connections = 'net.server.socket';
/** Timers that wait; Node.js counts them. */
const timerPath = [{ via: 'timers that wait', name: 'Timeout' }];
const mostServers = 4;
const leastRestMs = 5000;
/** The first walks come sooner than their share allows: a container is judged by the points since it was found. */
const earlyWalks = 3;
const earlyRestMs = 12_000;
/** Share of a core that walks may take. They are paid from the same allowance as floors. */
const costRatio = 0.0015;

/**
 * The containers that the program's servers reach, and how many entries each had over time. Servers are learnt from the connections that
 * they accept. The containers are looked for again now and then, for at most 0.15 % of a core.
 */
export class ProgramContainers {
  readonly #discount: (slice: () => void) => void;
  readonly #counts = new ContainerCounts();
  readonly #servers: WeakRef<EventEmitter>[] = [];
  readonly #onSocket = (message: unknown): void => this.#learn(message);
  readonly #scriptOf = new WeakMap<object, string>();
  readonly #huge = new WeakSet<object>();
  #walks = 0;
  #notBefore = 0;
  #listensNotBefore = 0;
  #isWalking = false;

  /** `discount` runs work of ours whose allocations are not the program's. */
  constructor(discount: (slice: () => void) => void) {
    this.#discount = discount;
  }

  start(): void {
    diagnostics.subscribe(connections, this.#onSocket);
  }

  stop(): void {
    diagnostics.unsubscribe(connections, this.#onSocket);
  }

  /** Reads the sizes at a floor, and looks for further containers where that is due. */
  look(at: number, work: number, scripts: ProgramScripts): void {
    this.lookLast(at, work);
    if (this.#servers.length === 0 && at >= this.#listensNotBefore) this.#learnListening(at);
    if (scripts === undefined || this.#isWalking || this.#servers.length === 0 || at < this.#notBefore)
      return;
    this.#isWalking = true;
    void this.#walk(scripts, work)
      .catch(() => undefined)
      .finally(() => (this.#isWalking = false));
  }

  /** Reads the sizes once more, e.g. when the process ends. */
  lookLast(at: number, work: number): void {
    this.#counts.look(at, work);
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    this.#counts.see(timerPath, at, work, timers);
  }

  grown(): readonly GrownContainer[] {
    return this.#counts.grown();
  }

  #learn(message: unknown): void {
    const server = (message as { readonly socket?: { readonly server?: EventEmitter } }).socket?.server;
    if (server !== undefined) this.#add(server);
  }

  /** A program whose clients keep their connections accepts no further one, so that its servers are looked for among what is open. */
  #learnListening(at: number): void {
    this.#listensNotBefore = at + leastRestMs;
    const { _getActiveHandles: handles } = process as { _getActiveHandles?: () => readonly unknown[] };
    for (const handle of handles?.call(process) ?? []) if (handle instanceof Server) this.#add(handle);
  }

  #add(server: EventEmitter): void {
    if (this.#servers.length >= mostServers || this.#servers.some((ref) => ref.deref() === server)) return;
    this.#servers.push(new WeakRef(server));
    if (this.#servers.length >= mostServers) this.stop();
  }

  async #walk(scripts: ReadonlySet<string>, work: number): Promise<void> {
    const { FunctionScopes } = await import('./function-scopes.ts');
    const { walkContainers } = await import('./container-walk.ts');
    let cpuMs = 0;
    const discount = (slice: () => void): void => {
      const before = process.cpuUsage();
      this.#discount(slice);
      const { user, system } = process.cpuUsage(before);
      cpuMs += (user + system) / 1000;
    };
    using scopes = FunctionScopes.open();
    if (scopes === undefined) return;
    const found = await walkContainers(this.#roots(), {
      scopes,
      isProgram: (id) => scripts.has(id),
      scriptOf: this.#scriptOf,
      huge: this.#huge,
      discount,
    });
    this.#counts.add(found, Date.now(), work);
    const restMs = cpuMs / costRatio;
    const isEarly = ++this.#walks <= earlyWalks;
    this.#notBefore = Date.now() + Math.max(leastRestMs, isEarly ? Math.min(earlyRestMs, restMs) : restMs);
  }

  /** What a server calls: its listeners, by the event. */
  #roots(): readonly { readonly via: string; readonly value: unknown }[] {
    return this.#servers.flatMap((ref) => {
      const server = ref.deref();
      return server === undefined
        ? []
        : server
            .eventNames()
            .flatMap((event) =>
              server.rawListeners(event).map((value) => ({ via: `"${String(event)}" listener`, value })),
            );
    });
  }
}
