/** A model of the session cache: random work on a real cache with a fake clock, and every promise of the cache checked after each step. */
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import fc from 'fast-check';
import type { Lease } from './lease.ts';
import { SessionCache, storeOf } from './session-cache.ts';
import type { DisposeInfo } from './settings.ts';

type DisposeMode = 'sync' | 'async' | 'throw' | 'reject' | 'hang' | 'flaky';

export type Step =
  | { readonly do: 'set'; readonly key: number; readonly bytes: number; readonly mode: DisposeMode }
  | { readonly do: 'get'; readonly key: number }
  | { readonly do: 'try'; readonly key: number }
  | { readonly do: 'acquire'; readonly key: number; readonly mode: DisposeMode; readonly abort: boolean }
  | { readonly do: 'land'; readonly fail: boolean }
  | { readonly do: 'release'; readonly index: number }
  | { readonly do: 'grow'; readonly key: number; readonly bytes: number }
  | { readonly do: 'close'; readonly key: number }
  | { readonly do: 'replace'; readonly key: number }
  | { readonly do: 'shed'; readonly bytes: number }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'stall'; readonly ms: number };

const key = fc.integer({ min: 0, max: 7 });
const bytes = fc.integer({ min: 1, max: 60 });
const mode = fc.constantFrom<DisposeMode>(
  'sync',
  'sync',
  'async',
  'async',
  'throw',
  'reject',
  'hang',
  'flaky',
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key, bytes, mode }),
  fc.record({ do: fc.constant('get' as const), key }),
  fc.record({ do: fc.constant('try' as const), key }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('acquire' as const), key, mode, abort: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('land' as const), fail: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('release' as const), index: fc.nat(5) }) },
  fc.record({ do: fc.constant('grow' as const), key, bytes }),
  fc.record({ do: fc.constant('close' as const), key }),
  fc.record({ do: fc.constant('replace' as const), key }),
  fc.record({ do: fc.constant('shed' as const), bytes }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ do: fc.constant('stall' as const), ms: fc.integer({ min: 100, max: 2000 }) }),
);

const maxBytes = 150;
const idle = 1000;
const maxAge = 5000;
const sweep = 100;
const disposeTimeout = 300;

class Session {
  readonly key: string;
  readonly mode: DisposeMode;
  bytes: number;
  readonly born: number;
  lastUse: number;
  /** Time the loop had been blocked in all at the last use, and when it was made. */
  stalledAtUse = 0;
  stalledAtBirth = 0;
  leases = 0;
  tries = 0;
  /** Successful disposals and dead letters. */
  ends = 0;

  constructor(key: string, mode: DisposeMode, bytes: number, now: number) {
    this.born = now;
    this.lastUse = now;
    this.key = key;
    this.mode = mode;
    this.bytes = bytes;
  }

  get isGone(): boolean {
    return this.tries > 0;
  }
}

/** Runs the steps; throws at the first broken promise. */
export async function runModel(
  steps: readonly Step[],
  options: { policy?: 'lru' | 'arc'; tenants?: boolean } = {},
): Promise<void> {
  const model = new Model(options);
  for (const next of steps) {
    await model.take(next);
    model.check();
  }
  await model.end();
}

class Model {
  readonly #clock = new FakeClock();
  readonly #sessions: Session[] = [];
  readonly #leases: Lease<Session>[] = [];
  #stalled = 0;
  readonly #openings = new Map<string, number>();
  readonly #pendingOpens: { readonly land: (fail: boolean) => void }[] = [];
  readonly #faults: string[] = [];
  readonly #cache: SessionCache<Session>;
  #nextMode: DisposeMode = 'sync';
  #pendingWork: Promise<unknown>[] = [];

  constructor(options: { policy?: 'lru' | 'arc'; tenants?: boolean }) {
    this.#cache = new SessionCache<Session>({
      maxBytes,
      idle,
      maxAge,
      sweep,
      disposeTimeout,
      disposeRetries: 2,
      clock: this.#clock,
      ...(options.policy === undefined ? {} : { policy: options.policy }),
      ...(options.tenants === true ? { tenant: (id: string) => String(Number(id) % 3) } : {}),
      meter: (session) => session,
      open: (id) => this.#open(id),
      dispose: (session, info) => this.#dispose(session, info),
      onDeadLetter: ({ value }) => void value.ends++,
    });
  }

  async take(next: Step): Promise<void> {
    await this.#act(next);
    await settle();
  }

  async #act(next: Step): Promise<void> {
    const cache = this.#cache;
    switch (next.do) {
      case 'set':
        cache.set(String(next.key), this.#make(String(next.key), next.mode, next.bytes));
        return;
      case 'get': {
        const session = cache.get(String(next.key));
        if (session === undefined) return;
        this.#use(session);
        if (session.isGone) this.#fault(`get returned ${session.key} after its disposal began`);
        return;
      }
      case 'try': {
        const lease = cache.tryAcquire(String(next.key), 'try');
        if (lease !== undefined) this.#leased(lease);
        return;
      }
      case 'acquire':
        this.#nextMode = next.mode;
        this.#acquire(String(next.key), next.abort);
        return;
      case 'land':
        this.#pendingOpens.shift()?.land(next.fail);
        return;
      case 'release': {
        const lease = this.#leases.splice(next.index % Math.max(1, this.#leases.length), 1)[0];
        if (lease === undefined) return;
        lease.value.leases--;
        this.#use(lease.value);
        lease.release();
        lease.release();
        return;
      }
      case 'grow': {
        const session = cache.peek(String(next.key));
        if (session !== undefined) session.bytes = next.bytes;
        return;
      }
      case 'close':
        this.#background(cache.close(String(next.key)));
        return;
      case 'replace':
        this.#background(
          cache
            .replace(String(next.key), (id) => this.#make(id, 'async', 10))
            .then((lease) => this.#leased(lease)),
        );
        return;
      case 'shed':
        this.#background(cache.shed({ bytes: next.bytes }));
        return;
      case 'advance':
        for (let left = next.ms; left > 0; left -= 25) {
          this.#clock.advance(Math.min(25, left));
          await settle();
        }
        return;
      case 'stall':
        this.#stalled += next.ms;
        this.#clock.stall(next.ms);
    }
  }

  /** Checks what has to hold between any two steps. */
  check(): void {
    const store = storeOf(this.#cache);
    let sum = 0;
    let unleased = 0;
    const now = this.#clock.monotonic();
    for (const entry of store.entries.values()) {
      sum += entry.bytes;
      if (entry.leases === 0) unleased++;
      if (entry.value.isGone) this.#fault(`${entry.id} is kept after its disposal began`);
    }
    const stats = this.#cache.stats();
    if (sum !== stats.bytes) this.#fault(`counter says ${stats.bytes}, entries hold ${sum}`);
    const tenants = this.#cache.tenants();
    const ofTenants = tenants.reduce((total, tenant) => total + tenant.bytes, 0);
    if (tenants.length > 0 && ofTenants !== sum) this.#fault(`tenants hold ${ofTenants}, entries ${sum}`);
    if (stats.bytes + stats.doomedBytes > maxBytes && unleased > 1)
      this.#fault(`${stats.bytes} bytes in a bound of ${maxBytes} with ${unleased} entries to evict`);
    if (store.leased.length + store.doomedEntries.size > this.#leases.length)
      this.#fault('the cache counts more leased entries than there are leases');
    for (const { id, value, leases } of store.entries.values()) {
      if (leases > 0) continue;
      // A blocked loop delays every timer by as long as it is blocked.
      const late = sweep + 2 + this.#stalled;
      const idleFor = now - value.lastUse;
      const age = now - value.born;
      if (idleFor > idle + late - value.stalledAtUse)
        this.#fault(`${id} is idle for ${idleFor} ms and still there`);
      if (age > maxAge + late - value.stalledAtBirth) this.#fault(`${id} is ${age} ms old and still there`);
    }
    if (this.#clock.waiting > 1) this.#fault(`${this.#clock.waiting} timers`);
    if (this.#faults.length > 0) throw new Error(this.#faults.join('; '));
  }

  /** Ends every lease and drains: each value must have been let go of exactly once. */
  async end(): Promise<void> {
    this.#releaseAll();
    const state = { isDrained: false };
    const drained = this.#cache.drain(2000).then(() => (state.isDrained = true));
    for (let i = 0; i < 60 && !state.isDrained; i++) {
      await settle();
      for (const open of this.#pendingOpens.splice(0)) open.land(false);
      await settle();
      this.#releaseAll();
      for (let j = 0; j < 4; j++) {
        this.#clock.advance(25);
        await settle();
      }
    }
    if (!state.isDrained) this.#fault('the drain hangs');
    await drained;
    await Promise.all(this.#pendingWork);
    for (const session of this.#sessions)
      if (session.ends !== 1)
        this.#fault(`${session.key} (${session.mode}) was let go of ${session.ends} times`);
    const stats = this.#cache.stats();
    if (stats.bytes + stats.leasedBytes + stats.doomedBytes + stats.closingBytes !== 0)
      this.#fault(`left over: ${JSON.stringify(stats)}`);
    if (this.#clock.waiting > 0) this.#fault(`${this.#clock.waiting} timers after the drain`);
    if (this.#faults.length > 0) throw new Error(this.#faults.join('; '));
  }

  #releaseAll(): void {
    for (const lease of this.#leases.splice(0)) {
      lease.value.leases--;
      lease.release();
    }
  }

  #make(id: string, dispose: DisposeMode, size: number): Session {
    const session = new Session(id, dispose, size, this.#clock.monotonic());
    session.stalledAtUse = this.#stalled;
    session.stalledAtBirth = this.#stalled;
    this.#sessions.push(session);
    return session;
  }

  #open(id: string): Promise<Session> {
    const running = (this.#openings.get(id) ?? 0) + 1;
    this.#openings.set(id, running);
    if (running > 1) this.#fault(`${id} is opened ${running} times at once`);
    const busy = this.#sessions.find(
      (session) => session.key === id && (session.leases > 0 || (session.tries > 0 && session.ends === 0)),
    );
    if (busy !== undefined) this.#fault(`${id} is opened while an older value of it is still there`);
    const chosen = this.#nextMode;
    return new Promise((resolve, reject) => {
      const land = (fail: boolean): void => {
        this.#openings.set(id, (this.#openings.get(id) as number) - 1);
        if (fail) reject(new Error('cannot open'));
        else resolve(this.#make(id, chosen, 20));
      };
      this.#pendingOpens.push({ land });
    });
  }

  #dispose(session: Session, info: DisposeInfo): void | Promise<void> {
    if (session.tries++ === 0) this.#judge(session, info.reason);
    if (session.leases > 0) this.#fault(`${session.key} is disposed (${info.reason}) while leased`);
    if (session.ends > 0) this.#fault(`${session.key} is disposed again`);
    const isLast = session.mode === 'flaky' && session.tries === 2;
    if (session.mode === 'throw' || (session.mode === 'flaky' && !isLast)) throw new Error('cannot dispose');
    if (session.mode === 'reject') return Promise.reject(new Error('cannot dispose'));
    if (session.mode === 'hang') return new Promise(() => {});
    if (session.mode === 'sync' || isLast) {
      session.ends++;
      return undefined;
    }
    return Promise.resolve().then(() => {
      session.ends++;
    });
  }

  #acquire(id: string, isAborting: boolean): void {
    const controller = new AbortController();
    const waiting = this.#cache
      .acquire(id, { owner: 'model', signal: controller.signal })
      .then((lease) => this.#leased(lease));
    this.#background(waiting);
    if (isAborting) this.#background(Promise.resolve().then(() => controller.abort()));
  }

  #leased(lease: Lease<Session>): void {
    const session = lease.value;
    if (session.isGone) this.#fault(`a lease of ${session.key} was given after its disposal began`);
    session.leases++;
    this.#use(session);
    this.#leases.push(lease);
  }

  #use(session: Session): void {
    session.lastUse = this.#clock.monotonic();
    session.stalledAtUse = this.#stalled;
  }

  /** An entry must not leave before its time. */
  #judge(session: Session, reason: string): void {
    const now = this.#clock.monotonic();
    if (reason === 'expire' && now - session.lastUse <= idle)
      this.#fault(`${session.key} expired after ${now - session.lastUse} of ${idle} ms`);
    if (reason === 'age' && now - session.born <= maxAge)
      this.#fault(`${session.key} was too old after ${now - session.born} of ${maxAge} ms`);
  }

  #background(work: Promise<unknown>): void {
    this.#pendingWork.push(work.catch(() => undefined));
    if (this.#pendingWork.length > 50) this.#pendingWork = this.#pendingWork.slice(-50);
  }

  #fault(text: string): void {
    this.#faults.push(text);
  }
}

/** Lets every promise that is ready run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
