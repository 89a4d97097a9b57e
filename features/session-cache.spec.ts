import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeFeature, loadFeature } from '@amiceli/vitest-cucumber';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { FileLot, SessionCache } from '@plimsoll/keep';
import type { HeldLease, Lease, ParkingLot } from '@plimsoll/keep/session-cache';
import { expect } from 'vitest';

const feature = await loadFeature('./features/session-cache.feature');

class MemoryService {
  readonly session: string;
  readonly isPersistent: boolean;
  readonly bytes = 1000;
  readonly notes: string[] = [];
  releases = 0;
  constructor(session: string, isPersistent = false) {
    this.session = session;
    this.isPersistent = isPersistent;
  }
}

type Release = (service: MemoryService, reason: string) => void | Promise<void>;

/** The service of the story: get_memory_service and clear_memory over a session cache. */
class PlanService {
  readonly clock = new FakeClock();
  readonly made: WeakRef<MemoryService>[] = [];
  readonly released: string[] = [];
  readonly heldLong: HeldLease[] = [];
  readonly deadLetters: string[] = [];
  readonly sessions: SessionCache<MemoryService>;

  constructor(options: { park?: ParkingLot; release?: Release } = {}) {
    const release = options.release;
    this.sessions = new SessionCache<MemoryService>({
      name: 'memory services',
      maxEntries: 100,
      maxBytes: '1MiB',
      idle: '5m',
      leaseWarning: '10m',
      disposeTimeout: '1s',
      disposeRetries: 1,
      clock: this.clock,
      meter: (service) => service,
      open: (id) => this.make(id),
      ...(options.park === undefined
        ? {}
        : {
            park: options.park,
            freeze: (service) => service.notes,
            thaw: (notes, id) => Object.assign(this.make(id), { notes }),
          }),
      dispose: (service, { reason }) => {
        service.releases++;
        this.released.push(`${service.session} ${reason}`);
        return release?.(service, reason);
      },
      onDeadLetter: ({ id }) => this.deadLetters.push(id),
    });
    this.sessions.on('lease-held-long', (lease) => this.heldLong.push(lease));
  }

  make(id: string, isPersistent = false): MemoryService {
    const service = new MemoryService(id, isPersistent);
    this.made.push(new WeakRef(service));
    return service;
  }

  async use(id: string): Promise<void> {
    const lease = await this.sessions.acquire(id);
    lease.release();
  }

  async useMany(count: number, prefix: string): Promise<void> {
    for (let i = 0; i < count; i++) await this.use(`${prefix} ${i}`);
  }

  /** Lets time pass with the timers and promises of the cache. */
  async wait(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      this.clock.advance(Math.min(1000, left));
      await turn();
    }
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const sixMinutes = 360_000;

describeFeature(feature, ({ Background, AfterEachScenario, Scenario }) => {
  let service: PlanService;
  let lease: Lease<MemoryService>;
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-feature-'));

  Background(({ Given }) => {
    Given('a plan service that keeps its memory services in a session cache', () => {
      service = new PlanService();
    });
  });

  AfterEachScenario(async () => {
    const drained = service.sessions.drain(1000);
    for (let i = 0; i < 20; i++) {
      await turn();
      service.clock.advance(500);
    }
    await drained;
    rmSync(dir, { recursive: true, force: true });
  });

  Scenario('Abandoned sessions do not stay', ({ When, And, Then }) => {
    When('500 sessions are used once and never closed', () => service.useMany(500, 'abandoned'));
    And('nobody touches them for longer than the idle time', () => service.wait(sixMinutes));
    Then('the cache holds no session', () => expect(service.sessions.size).toBe(0));
    And('each of the 500 memory services was released exactly once', () => {
      expect(service.released).toHaveLength(500);
      expect(new Set(service.released.map((line) => line.split(' ')[1])).size).toBe(500);
    });
    And('their memory is back in the heap', async () => {
      const alive = (): unknown[] => service.made.filter((ref) => ref.deref() !== undefined);
      // A frame or a register of V8's may hold one a little longer.
      for (let i = 0; i < 100 && (i < 4 || alive().length > 0); i++) {
        await turn();
        globalThis.gc?.();
      }
      expect(alive()).toHaveLength(0);
    });
  });

  Scenario('The cache does not grow without bound in a long-running service', ({ When, Then, And }) => {
    When('5000 sessions are used once within the idle time', () => service.useMany(5000, 'visitor'));
    Then('the cache holds 100 sessions at most', () => expect(service.sessions.size).toBe(100));
    And('the 4900 that made room were released', () => {
      expect(service.released).toHaveLength(4900);
      expect(service.sessions.stats().evicted).toBe(4900);
    });
  });

  Scenario('Explicit clearing stays the canonical way out', ({ Given, When, Then, And }) => {
    Given('the session "42" is in the cache', () => service.use('42'));
    When('the service clears the memory of session "42"', async () => {
      expect(await service.sessions.close('42', 'clear_memory')).toBe('closed');
    });
    Then('the session is gone and its memory service was released with reason "clear_memory"', () => {
      expect(service.sessions.has('42')).toBe(false);
      expect(service.released).toEqual(['42 clear_memory']);
    });
    And('clearing it again does nothing', async () => {
      expect(await service.sessions.close('42', 'clear_memory')).toBe('absent');
      expect(service.released).toHaveLength(1);
    });
  });

  Scenario('A session in use survives everything', ({ Given, When, Then, And }) => {
    Given('the session "42" is leased by a running request', async () => {
      lease = await service.sessions.acquire('42', { owner: 'request' });
    });
    When('5000 other sessions arrive, the idle time passes and pressure asks for all memory', async () => {
      await service.useMany(5000, 'other');
      await service.wait(sixMinutes);
      await service.sessions.shed({ bytes: 1e9 });
    });
    Then('the request still works with its memory service', () => {
      expect(lease.value.session).toBe('42');
      expect(lease.value.releases).toBe(0);
    });
    And('the session leaves only after the request has ended', async () => {
      await service.sessions.close('42', 'done');
      expect(service.released).not.toContain('42 done');
      lease.release();
      expect(service.released).toContain('42 done');
    });
  });

  Scenario('Pressure sheds the coldest sessions', ({ Given, When, Then, And }) => {
    let freed = 0;
    Given('ten sessions of 1000 bytes each, used in the order 0 to 9', async () => {
      for (let i = 0; i < 10; i++) await service.use(String(i));
    });
    When('pressure asks for 3000 bytes', async () => {
      freed = await service.sessions.shed({ bytes: 3000, reason: 'pressure' });
    });
    Then('3000 bytes are freed', () => expect(freed).toBe(3000));
    And('the sessions 0, 1 and 2 are gone and the others are still there', () => {
      const left = Array.from({ length: 10 }, (_, i) => String(i)).filter((id) => service.sessions.has(id));
      expect(left).toEqual(['3', '4', '5', '6', '7', '8', '9']);
    });
  });

  Scenario('A session that changes its persistence is replaced safely', ({ Given, When, Then, And }) => {
    let switching: Promise<Lease<MemoryService>>;
    Given('the session "42" is leased by a running request', async () => {
      lease = await service.sessions.acquire('42');
    });
    When('the service switches session "42" to persistent memory', () => {
      switching = service.sessions.replace('42', (id) => {
        service.released.push('made persistent');
        return service.make(id, true);
      });
    });
    Then('the new memory service is made only after the old one was released', async () => {
      await turn();
      expect(service.released).toEqual([]);
      lease.release();
      (await switching).release();
      expect(service.released).toEqual(['42 replace', 'made persistent']);
    });
    And('the next request works with the persistent one', async () => {
      const next = await service.sessions.acquire('42');
      expect(next.value.isPersistent).toBe(true);
      next.release();
    });
  });

  Scenario('A parked session comes back with its memory', ({ Given, When, Then, And }) => {
    Given('the cache parks cold sessions on disk', () => {
      service = new PlanService({ park: new FileLot({ dir: join(dir, 'parked'), maxBytes: '10MiB' }) });
    });
    And('the session "42" remembers "the answer"', async () => {
      const writing = await service.sessions.acquire('42');
      writing.value.notes.push('the answer');
      writing.release();
    });
    When('the session goes cold and is wanted again', async () => {
      expect(await service.sessions.shed({ bytes: 1 })).toBe(1000);
      expect(service.sessions.has('42')).toBe(false);
      lease = await service.sessions.acquire('42');
    });
    Then('it still remembers "the answer"', () => {
      expect(lease.value.notes).toEqual(['the answer']);
      lease.release();
    });
  });

  Scenario('A broken teardown does not break the service', ({ Given, When, Then, And }) => {
    Given('memory services whose release fails, hangs or throws', () => {
      service = new PlanService({
        release: ({ session }) => {
          const kind = Number(session.split(' ')[1]) % 3;
          if (kind === 0) throw new Error('throws');
          return kind === 1 ? Promise.reject(new Error('rejects')) : new Promise(() => {});
        },
      });
    });
    When('300 sessions come and go', async () => {
      for (let i = 0; i < 300; i++) {
        service.sessions.set(`broken ${i}`, service.make(`broken ${i}`));
        await service.wait(100);
      }
      await service.wait(10_000);
    });
    Then('the cache still holds 100 sessions at most', () => expect(service.sessions.size).toBe(100));
    And('every session that could not be released is reported', () => {
      expect(service.deadLetters).toHaveLength(200);
      expect(service.sessions.stats()).toMatchObject({ disposeFailures: 200, closing: 0 });
    });
  });

  Scenario('A lease that was never released is reported with its owner', ({ Given, When, Then }) => {
    Given('the session "42" is leased by "request 17" which forgets it', async () => {
      lease = await service.sessions.acquire('42', { owner: 'request 17' });
    });
    When('more than the lease warning time passes', () => service.wait(700_000));
    Then('the report names session "42" and "request 17"', () => {
      expect(service.heldLong).toMatchObject([{ id: '42', owner: 'request 17' }]);
      lease.release();
    });
  });
});
