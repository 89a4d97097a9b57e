import { describe, expect, test } from 'vitest';
import { isAdmitError } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import type { SteadyLimits } from '../policy/sections/admission.ts';
import { Admission } from './admission.ts';

const MiB = 1024 ** 2;

/** Shed points under steady limits, at level normal. */
class SteadyRig {
  readonly clock = new FakeClock();
  agent = 'a';
  agents = 0;
  work = 0;
  freeBytes = 80 * MiB;
  busyRatio = 0.1;
  readonly gate = new Admission({ clock: this.clock, waitsAs: () => this.agent });

  constructor(steady: SteadyLimits, mode: 'enforce' | 'shadow' = 'enforce') {
    this.gate.govern({ mode, steady });
    this.observe();
  }

  observe(): void {
    this.gate.observe({
      level: 'normal',
      usedBytes: 20 * MiB,
      limitBytes: 100 * MiB,
      source: 'heap',
      rule: 'limits.heap',
      freeBytes: this.freeBytes,
      inFlight: () => this.work,
      agents: () => this.agents,
      busyRatio: this.busyRatio,
    });
  }

  /** The message of the refusal; undefined when it was let in. */
  refusal(point: 'session' | 'run' | 'delegation' | 'tool', options = {}): string | undefined {
    try {
      this.gate.admit(point, options);
      return undefined;
    } catch (error) {
      if (!isAdmitError(error)) throw error;
      expect(error).toMatchObject({ code: 'PLM_ADMIT_FULL', retryable: true, statusCode: 503 });
      return error.message;
    }
  }
}

describe('steady limits at level normal', () => {
  test('bound runs and delegations over all trees, and a released one makes room', () => {
    const rig = new SteadyRig({ runs: 2, delegations: 1 });
    rig.work = 10;
    rig.observe();
    const first = rig.gate.admit('run');
    rig.gate.admit('run');
    expect(rig.refusal('run')).toBe(
      'there is no room for new work at "run": 2 runs are in flight and 2 is the most.',
    );
    expect(rig.refusal('session')).toBeUndefined();
    rig.gate.admit('delegation');
    expect(rig.refusal('delegation')).toContain('1 delegations are in flight and 1 is the most');
    first.release();
    expect(rig.refusal('run')).toBeUndefined();
    expect(rig.refusal('run', { continues: true })).toBeUndefined();
    expect(rig.refusal('run', { lane: 'management' })).toBeUndefined();
    expect(rig.gate.row()).toMatchObject({ state: 'open', ratio: 0, refused: 2 });
  });

  test('tickets that nobody gives back do not close the server', () => {
    const rig = new SteadyRig({ runs: 2 });
    for (let i = 0; i < 100; i++) {
      expect(rig.refusal('run')).toBeUndefined();
      rig.observe();
    }
  });

  test('bound open agents, free memory and the busy event loop, but not tools', () => {
    const rig = new SteadyRig({ agents: 3, freeMemory: { ratio: 0.1 }, cpuRatio: 0.9 });
    rig.agents = 3;
    rig.observe();
    expect(rig.refusal('session')).toContain('3 agents are open and 3 is the most');
    rig.agents = 0;
    rig.freeBytes = 9 * MiB;
    rig.observe();
    expect(rig.refusal('run')).toContain('9.0 MiB are free and 10.0 MiB is the least');
    expect(rig.refusal('tool')).toBeUndefined();
    rig.freeBytes = 80 * MiB;
    rig.busyRatio = 0.97;
    rig.observe();
    expect(rig.refusal('delegation')).toContain('busy 97 % of the time and 90 % is the most');
  });

  test('only count in another mode than enforce, and lapse without readings', () => {
    const shadow = new SteadyRig({ freeMemory: { bytes: 90 * MiB } }, 'shadow');
    expect(shadow.refusal('run')).toBeUndefined();
    expect(shadow.gate.row().points.find(({ point }) => point === 'run')?.wouldHave).toBe(1);
    const dead = new SteadyRig({ freeMemory: { bytes: 90 * MiB } });
    expect(dead.refusal('run')).toContain('free');
    dead.clock.advance(61_000);
    expect(dead.refusal('run')).toBeUndefined();
  });
});

describe('the line', () => {
  test('is served at each release, agents take turns, and nobody overtakes it', async () => {
    const rig = new SteadyRig({ runs: 1 });
    rig.work = 100;
    rig.observe();
    const order: string[] = [];
    let running = rig.gate.admit('run');
    const wait = (agent: string, name: string): Promise<void> => {
      rig.agent = agent;
      return rig.gate.admitOrWait('run', { waitMs: 60_000 }).then((ticket) => {
        order.push(name);
        running = ticket;
      });
    };
    const waiting = [wait('greedy', 'g1'), wait('greedy', 'g2'), wait('greedy', 'g3'), wait('modest', 'm1')];
    for (let i = 0; i < 4; i++) {
      running.release();
      await new Promise(setImmediate);
      if (i < 3) expect(rig.refusal('run')).toBeDefined();
    }
    await Promise.all(waiting);
    expect(order).toEqual(['g1', 'm1', 'g2', 'g3']);
  });
});
