import diagnostics from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { Server } from 'node:net';
import { isOwnFile } from '../audit/call-site.ts';
import { installedFile } from '../audit/installed-file.ts';
import { ContainerCounts, type GrownContainer } from './container-counts.ts';
import type { WalkRoot } from './container-walk.ts';
import type { OwnWork } from './entered-functions.ts';
import { EnteredRoots, type BusyProgram } from './entered-roots.ts';

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
/** Modules of CommonJS whose exports are walked. */
const mostModules = 200;
/** Most listeners of one event that are walked. A longer list counts as a container. */
const mostListeners = 16;
const modules = createRequire(import.meta.url).cache;

/**
 * The containers that the program reaches, and how many entries each had over time. The walk begins at its servers, which are learnt from
 * the connections that they accept, at its listeners of the process, at its globals, at its modules of CommonJS, and at functions that are
 * entered: one of each script of which nothing else leads to a function. The containers are looked for again now and then, for at most
 * 0.15 % of a core.
 */
export class ProgramContainers {
  readonly #discount: OwnWork['discount'];
  readonly #keep: OwnWork['keep'];
  readonly #counts = new ContainerCounts();
  readonly #servers: WeakRef<EventEmitter>[] = [];
  readonly #entered = new EnteredRoots();
  /** Functions are entered before the next walk, because nothing that it has found explains the growth. */
  #isPressed = false;
  readonly #onSocket = (message: unknown): void => this.#learn(message);
  readonly #scriptOf = new WeakMap<object, string>();
  readonly #huge = new WeakSet<object>();
  #walks = 0;
  #notBefore = 0;
  #listensNotBefore = 0;
  #isWalking = false;
  #work = 0;
  #owedMs = 0;

  /**
   * `discount` runs work of ours whose allocations are not the program's. It stands in a script that the preload has loaded. `keep` takes in
   * how many bytes of it stay.
   */
  constructor(discount: OwnWork['discount'], keep: OwnWork['keep'] = () => undefined) {
    this.#discount = discount;
    this.#keep = keep;
  }

  start(): void {
    diagnostics.subscribe(connections, this.#onSocket);
  }

  stop(): void {
    diagnostics.unsubscribe(connections, this.#onSocket);
  }

  /** Reads the sizes at a floor, and looks for further containers where that is due. */
  look(at: number, work: number, program: BusyProgram | undefined): void {
    this.lookLast(at, work);
    if (this.#servers.length === 0 && at >= this.#listensNotBefore) this.#learnListening(at);
    if (program !== undefined && at >= this.#notBefore) this.#begin(program);
  }

  /** Enters further functions that allocate what stays, and walks from there, because nothing that was found explains the growth. */
  enter(program: BusyProgram): void {
    this.#isPressed = true;
    this.#begin(program);
  }

  /** Reads the sizes between two floors. */
  count(at: number, work: number): void {
    this.#work = work;
    this.#counts.count(at, work);
  }

  /** Reads the sizes once more, e.g. when the process ends. */
  lookLast(at: number, work: number): void {
    this.#work = work;
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

  #begin(program: BusyProgram): void {
    if (!program.scripts.isKnown || this.#isWalking) return;
    this.#isWalking = true;
    void this.#walk(program)
      .catch(() => undefined)
      .finally(() => (this.#isWalking = false));
  }

  async #walk(program: BusyProgram): Promise<void> {
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
    const { scripts } = program;
    const preload = scopes.openedOf(this.#discount)?.scriptId;
    if (preload !== undefined) scripts.begin(preload);
    const isPressed = this.#isPressed;
    this.#isPressed = false;
    const own = { discount, keep: this.#keep };
    if (isPressed) await this.#entered.enter(this.#entered.heaviest(program.busyFunctions()), scopes, own);
    const opened = new Set<string>();
    const roots = [...this.#servers.flatMap(listenersOf), ...programRoots(), ...this.#entered.roots()];
    const found = await walkContainers(roots, {
      scopes,
      originOf: (id) => scripts.of(id),
      fileOf: (id) => scripts.packagedFile(id),
      scriptOf: this.#scriptOf,
      opened,
      huge: this.#huge,
      discount,
    });
    this.#counts.add(found, Date.now(), this.#work);
    const newest = scopes.openedOf(walkContainers)?.scriptId;
    const unopened = isPressed ? [] : this.#entered.unopened(program.busyFunctions(), opened, newest);
    const isFurther = await this.#entered.enter(unopened, scopes, own);
    this.#rest(cpuMs, isFurther);
  }

  /** What was just reached is walked soon, and all of it is paid for afterwards. */
  #rest(cpuMs: number, isFurther: boolean): void {
    this.#owedMs += cpuMs;
    if (isFurther) {
      this.#notBefore = 0;
      return;
    }
    const restMs = this.#owedMs / costRatio;
    this.#owedMs = 0;
    const isEarly = ++this.#walks <= earlyWalks;
    this.#notBefore = Date.now() + Math.max(leastRestMs, isEarly ? Math.min(earlyRestMs, restMs) : restMs);
  }
}

/** What a server calls: its listeners, by the event. */
function listenersOf(ref: WeakRef<EventEmitter>): readonly WalkRoot[] {
  const emitter = ref.deref();
  return (emitter?.eventNames() ?? []).flatMap((event) =>
    (emitter?.rawListeners(event) ?? [])
      .slice(0, mostListeners)
      .map((value) => ({ via: `"${String(event)}" listener`, value })),
  );
}

/** The long lists of listeners of the process: a program may add one to them with each request. */
function listsOfProcess(): readonly WalkRoot[] {
  const { _events: lists = {} } = process as { readonly _events?: Readonly<Record<string, unknown>> };
  return Object.entries(lists).flatMap(([event, list]) =>
    Array.isArray(list) && list.length >= mostListeners
      ? [{ via: `"${event}" listeners of process`, value: list }]
      : [],
  );
}

/** What Node.js keeps of the program by itself. A worker of a queue has no server. */
function programRoots(): readonly WalkRoot[] {
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
