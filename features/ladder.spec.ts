import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describeFeature, loadFeature } from '@amiceli/vitest-cucumber';
import { expect } from 'vitest';
import { Ladder } from '@plimsoll/govern/internal/ladder/ladder';
import type { ActionRecord } from '@plimsoll/govern/internal/actions/action';
import { Governor } from '@plimsoll/govern/internal/level/governor';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { FileLot, SessionCache } from '@plimsoll/keep';

const MiB = 1024 ** 2;
const feature = await loadFeature('./features/ladder.feature');

/** A server as the ladder sees it: sessions in a cache, and memory that is theirs and a rest. */
class Server {
  readonly clock = new FakeClock();
  readonly cache: SessionCache<object>;
  readonly limit = 1000 * MiB;
  restBytes = 0;
  #governor: Governor | undefined;
  #ladder: Ladder | undefined;
  #majors = 0;

  constructor(sessions: number) {
    this.cache = new SessionCache<object>({
      maxBytes: '1GiB',
      meter: () => ({ bytes: 10 * MiB }),
      park: new FileLot({ dir: mkdtempSync(join(tmpdir(), 'plimsoll-feature-')) }),
      open: () => ({}),
    });
    for (let i = 0; i < sessions; i++) this.cache.set(`s${i}`, {});
  }

  get used(): number {
    return this.cache.bytes + this.restBytes;
  }

  get actions(): readonly ActionRecord[] {
    return this.#ladder?.rows ?? [];
  }

  govern(mode: string): void {
    const text = `apiVersion: plimsoll/v1
mode: ${mode}
signal: { grace: 0s }
ladder: { critical: [ session.park: { until: 50% } ], emergency: [ admit.refuse ] }`;
    const policy = parsePolicy(text, 'plimsoll.yaml');
    const { clock } = this;
    const levers = { keepers: () => [this.cache], admission: admission() };
    this.#ladder = new Ladder({ policy, clock, levers });
    this.#governor = new Governor({ policy, clock, ladder: this.#ladder });
  }

  /** Lets seconds pass with a reading in each; what the sessions do not hold is the rest. */
  async live(ratio: number, seconds: number): Promise<void> {
    this.restBytes = ratio * this.limit - this.cache.bytes;
    for (let i = 0; i < seconds; i++) {
      const { used } = this;
      this.#governor?.tick({
        at: this.clock.now(),
        heapUsed: used,
        floor: used,
        floorAgeMs: 0,
        majors: ++this.#majors,
        rss: used,
        pressures: [{ source: 'heap', used, limit: this.limit }],
        lateMs: 0,
      });
      for (let j = 0; j < 10; j++) await turn();
      await new Promise((resolve) => setTimeout(resolve, 2));
      this.clock.advance(1000);
    }
  }

  async end(): Promise<void> {
    this.#governor?.stop();
    await this.cache.drain(10);
  }
}

const isRefusing = (): boolean => admission().row().state === 'refusing';

describeFeature(feature, ({ Scenario }) => {
  Scenario('Idle sessions are parked before anybody is refused', ({ Given, When, Then, And }) => {
    let server: Server;
    Given('a server with 20 idle sessions of 10 MiB each and one session in use', async () => {
      server = new Server(20);
      await server.cache.acquire('in use');
    });
    And('a policy that parks sessions to 50% and then refuses work', () => server.govern('enforce'));
    When('the process reaches 82% of its limit for 20 seconds', () => server.live(0.82, 20));
    Then('sessions were parked until memory was below 75%', () => {
      expect(server.cache.stats().parked).toBeGreaterThan(5);
      expect(server.used / server.limit).toBeLessThan(0.75);
    });
    And('the session in use is still there', () => expect(server.cache.has('in use')).toBe(true));
    And('no work was refused', async () => {
      expect(server.actions.some(({ action }) => action === 'admit.refuse')).toBe(false);
      await server.end();
    });
  });

  Scenario('What was refused is let in again when the level falls', ({ Given, When, Then, And }) => {
    let server: Server;
    Given('a server with nothing to park', () => {
      server = new Server(0);
    });
    And('a policy that parks sessions to 50% and then refuses work', () => server.govern('enforce'));
    When('the process reaches 97% of its limit for 20 seconds', () => server.live(0.97, 20));
    Then('work is refused', () => expect(isRefusing()).toBe(true));
    When('the process falls to 10% of its limit for 130 seconds', () => server.live(0.1, 130));
    Then('work is let in', async () => {
      expect(isRefusing()).toBe(false);
      await server.end();
    });
  });

  Scenario('In shadow mode nothing is touched and everything is told', ({ Given, When, Then, And }) => {
    let server: Server;
    Given('a server with 20 idle sessions of 10 MiB each and one session in use', async () => {
      server = new Server(20);
      await server.cache.acquire('in use');
    });
    And('the same policy in shadow mode', () => server.govern('shadow'));
    When('the process reaches 97% of its limit for 20 seconds', () => server.live(0.97, 20));
    Then('no session was parked', () => {
      expect(server.cache.size).toBe(21);
      expect(isRefusing()).toBe(false);
    });
    And('the report says that sessions would have been parked', async () => {
      expect(server.actions.map(({ outcome, text }) => `${outcome}: ${text}`)).toContain(
        'would-have: would have made 1 keeper (1 session-cache) park at most 210.0 MiB.',
      );
      await server.end();
    });
  });
});
