import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeFeature, loadFeature } from '@amiceli/vitest-cucumber';
import { SessionCache } from '@plimsoll/keep';
import { doesNotLeak, LeakError } from '@plimsoll/testkit';
import { expect } from 'vitest';

const feature = await loadFeature('./features/leak-test.feature');
const dir = mkdtempSync(join(tmpdir(), 'plimsoll-leak-test-'));

class MemoryService {
  readonly notes: string[] = [];

  constructor(session: string) {
    this.notes.push(`the plan of ${session}`);
  }
}

interface PlanService {
  use(session: string): Promise<void>;
}

/** As it was: an entry per session, and nobody who removes it. */
class PlanServiceOnMap implements PlanService {
  readonly memoryServices = new Map<string, MemoryService>();

  async use(session: string): Promise<void> {
    const service = this.memoryServices.get(session) ?? new MemoryService(session);
    this.memoryServices.set(session, service);
    service.notes.push('one more step');
  }
}

/** As it is now. */
class PlanServiceOnCache implements PlanService {
  readonly #sessions = new SessionCache<MemoryService>({
    name: 'memory services',
    maxEntries: 100,
    idle: '5m',
    open: (session) => new MemoryService(session),
  });

  async use(session: string): Promise<void> {
    const lease = await this.#sessions.acquire(session);
    lease.value.notes.push('one more step');
    lease.release();
  }
}

/** The one test, whatever the service keeps its sessions in. */
async function outcomeOf(service: PlanService): Promise<LeakError | undefined> {
  const abandoned = (call: number): Promise<void> => service.use(`session-${call}`);
  return doesNotLeak(abandoned, { per: 'session', patience: '4 s', dir }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof LeakError) return error;
      throw error;
    },
  );
}

describeFeature(feature, ({ Scenario }) => {
  Scenario(
    'The service on a plain Map fails the test, for the right reason',
    ({ Given, When, Then, And }) => {
      let service: PlanService;
      let failure: LeakError | undefined;
      Given('a plan service that keeps its memory services in a plain Map', () => {
        service = new PlanServiceOnMap();
      });
      When('the test repeats a session that is used once and abandoned', async () => {
        failure = await outcomeOf(service);
      });
      Then('the test fails because each session keeps one MemoryService', () => {
        expect(failure?.code).toBe('PLM_LEAK_GROWTH');
        expect(failure?.message).toContain('keeps 1 MemoryService per session');
      });
      And('the failure names the map "memoryServices" as the holder', () => {
        expect(failure?.message).toMatch(/↓ memoryServices : Map/);
        expect(failure?.fix).toContain('memoryServices');
      });
      And('the failure says after how many sessions a heap of 512 MiB is full', () => {
        expect(failure?.message).toMatch(/a 512\.0 MiB heap is full after [\d,]+/);
      });
    },
  );

  Scenario('The service on the session cache passes the same test', ({ Given, When, Then }) => {
    let service: PlanService;
    let failure: LeakError | undefined;
    Given('a plan service that keeps its memory services in a session cache', () => {
      service = new PlanServiceOnCache();
    });
    When('the test repeats a session that is used once and abandoned', async () => {
      failure = await outcomeOf(service);
    });
    Then('the test passes', () => {
      expect(failure?.message).toBeUndefined();
    });
  });
});
