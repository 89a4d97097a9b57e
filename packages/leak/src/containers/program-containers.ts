import diagnostics from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { Server } from 'node:net';
import type { ScriptOrigins } from '../sites/script-origins.ts';
import { installedFile, isOwnFile } from '../audit/call-site.ts';
import { ContainerCounts, type GrownContainer } from './container-counts.ts';

interface Root {
  readonly via: string;
  readonly value: unknown;
}

/** Channel on which Node.js publishes each connection that a server accepts. */
const connections = 'net.server.socket';
/** Path of waiting timers, which Node.js counts. */
const timerPath = [{ via: 'timers that wait', name: 'Timeout' }];
const mostServers = 4;
const leastRestMs = 5000;
/** Number of first walks that may come sooner than their share allows, because a container is judged only by points since it was found. */
const earlyWalks = 3;
const earlyRestMs = 12_000;
/** Share of a core for walks. They use the same allowance as floors. */
const costRatio = 0.0015;
const mostSearches = 2;
/** Most CommonJS modules whose exports are walked. */
const mostModules = 200;
/** Most listeners of one event that are walked. A longer list counts as a container. */
const mostListeners = 16;
const modules = createRequire(import.meta.url).cache;

/**
 * The containers that the program reaches, and their number of entries over time. The walk begins at the program's servers (found by the
 * connections that they accept), its listeners of the process, its globals and its CommonJS modules. It is repeated, for at most 0.15 % of
 * a core.
 */
export class ProgramContainers {
  readonly #discount: (slice: () => void) => void;
  readonly #counts = new ContainerCounts();
  readonly #servers: WeakRef<EventEmitter>[] = [];
  /** Functions of the program from the search, one per script. */
  #functions: readonly WeakRef<object>[] = [];
  #searches = 0;
  readonly #onSocket = (message: unknown): void => this.#learn(message);
  readonly #scriptOf = new WeakMap<object, string>();
  readonly #huge = new WeakSet<object>();
  #walks = 0;
  #notBefore = 0;
  #listensNotBefore = 0;
  #isWalking = false;

  /** `discount` runs our own work without counting its allocations as the program's. It is in a script that the preload has loaded. */
  constructor(discount: (slice: () => void) => void) {
    this.#discount = discount;
  }

  start(): void {
    diagnostics.subscribe(connections, this.#onSocket);
  }

  stop(): void {
    diagnostics.unsubscribe(connections, this.#onSocket);
  }

  /** Reads the sizes at a floor, and walks for further containers when that is due. */
  look(at: number, work: number, scripts: ScriptOrigins | undefined): void {
    this.lookLast(at, work);
    if (this.#servers.length === 0 && at >= this.#listensNotBefore) this.#learnListening(at);
    if (scripts?.isKnown !== true || this.#isWalking || at < this.#notBefore) return;
    this.#isWalking = true;
    void this.#walk(scripts, work)
      .catch(() => undefined)
      .finally(() => (this.#isWalking = false));
  }

  /**
   * Searches all functions for these names. The next walk begins at the variables that they reach. The search stops the program for several
   * collections, so it runs only when no container grows, and at most twice.
   */
  async search(names: ReadonlySet<string>, scripts: ScriptOrigins): Promise<void> {
    if (this.#searches >= mostSearches || this.#functions.length > 0) return;
    if (this.grown().some(({ shape }) => shape === 'growing')) return;
    this.#searches++;
    const { FunctionScopes } = await import('./function-scopes.ts');
    const { functionsOfProgram } = await import('./program-functions.ts');
    this.#discount(() => {
      using scopes = FunctionScopes.open();
      if (scopes === undefined) return;
      this.#functions = functionsOfProgram(scopes, names, scripts).map((each) => new WeakRef(each));
    });
    if (this.#functions.length > 0) this.#notBefore = 0;
  }

  /** Reads the sizes between two floors. */
  count(at: number, work: number): void {
    this.#counts.count(at, work);
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

  /** Searches for servers among the open handles, because a program whose clients keep their connections accepts no new one. */
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

  async #walk(scripts: ScriptOrigins, work: number): Promise<void> {
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
    const preload = scopes.openedOf(this.#discount)?.scriptId;
    if (preload !== undefined) scripts.begin(preload);
    const functions = this.#functions.map((ref) => ({ via: 'a function', value: ref.deref() }));
    const roots = [...this.#servers.flatMap(listenersOf), ...programRoots(), ...functions];
    const found = await walkContainers(roots, {
      scopes,
      originOf: (id) => scripts.of(id),
      scriptOf: this.#scriptOf,
      huge: this.#huge,
      discount,
    });
    this.#counts.add(found, Date.now(), work);
    const restMs = cpuMs / costRatio;
    const isEarly = ++this.#walks <= earlyWalks;
    this.#notBefore = Date.now() + Math.max(leastRestMs, isEarly ? Math.min(earlyRestMs, restMs) : restMs);
  }
}

/** The listeners of a server, by event. */
function listenersOf(ref: WeakRef<EventEmitter>): readonly Root[] {
  const emitter = ref.deref();
  return (emitter?.eventNames() ?? []).flatMap((event) =>
    (emitter?.rawListeners(event) ?? [])
      .slice(0, mostListeners)
      .map((value) => ({ via: `"${String(event)}" listener`, value })),
  );
}

/** Long lists of listeners of the process. A program may add one with each request. */
function listsOfProcess(): readonly Root[] {
  const { _events: lists = {} } = process as { readonly _events?: Readonly<Record<string, unknown>> };
  return Object.entries(lists).flatMap(([event, list]) =>
    Array.isArray(list) && list.length >= mostListeners
      ? [{ via: `"${event}" listeners of process`, value: list }]
      : [],
  );
}

/** Roots other than servers, because a worker of a queue has no server. */
function programRoots(): readonly Root[] {
  const own = Object.values(modules)
    .filter((each) => each !== undefined && !installedFile(each.filename) && !isOwnFile(each.filename))
    .slice(0, mostModules);
  return [
    ...listenersOf(new WeakRef(process)),
    ...listsOfProcess(),
    ...Object.entries(Object.getOwnPropertyDescriptors(globalThis)).flatMap(([via, { enumerable, value }]) =>
      enumerable === true && typeof value === 'object' ? [{ via, value: value as unknown }] : [],
    ),
    ...own.map((each) => ({ via: 'exports', value: each?.exports as unknown })),
  ];
}
