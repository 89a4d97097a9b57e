import { describe, expect, it } from 'vitest';
import { collectUntil } from '../../../core/src/scope/collect.fixture.ts';
import { open } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import type { LingeringScope } from '@plimsoll/core/internal/scope/roster';
import { PlimsollWatched } from '@plimsoll/core/internal/scope/watch-list';
import type { Watched } from '@plimsoll/core/internal/scope/watch-list';
import { ForcedGc } from '../floor/forced-gc.ts';
import { Survivors } from './survivors.ts';
import type { SurvivorSource } from './survivors.ts';

const calm = { loopUtilization: 0.1, heapBytes: 1e6 };

/** A source whose objects the test holds and lets go. */
class Source implements SurvivorSource {
  majorGcEpoch = 0;
  readonly entries: Watched[] = [];
  readonly scopes: LingeringScope[] = [];
  /** Strong references to the tokens, so that they live as long as the test says. */
  readonly held: PlimsollWatched[] = [];
  looks = 0;

  *watched(): Iterable<Watched> {
    this.looks++;
    yield* this.entries;
  }
  lingering(): Iterable<LingeringScope> {
    return this.scopes;
  }
  leave(kind: string, label: string, path = `process/${kind}:1`): void {
    const token = new PlimsollWatched(label, path, undefined);
    this.held.push(token);
    this.entries.push({
      label,
      scopePath: path,
      kind,
      closedAt: this.majorGcEpoch,
      majorGcEpoch: this.majorGcEpoch,
      ref: new WeakRef(token),
    });
  }
}

function watch(
  source: Source,
  withProbe: boolean,
): { survivors: Survivors; tick: (ms: number) => void; probes: () => number } {
  let now = 0;
  let probes = 0;
  const probe = new ForcedGc({
    collect: () => {
      probes++;
      source.majorGcEpoch++;
    },
    intervalMs: 60_000,
    now: () => now,
  });
  const survivors = new Survivors({
    source,
    forced: withProbe ? probe : undefined,
    clock: { monotonic: () => now },
  });
  return { survivors, tick: (ms) => void (now += ms), probes: () => probes };
}

describe('Survivors', () => {
  it('says nothing before three major GCs', () => {
    const source = new Source();
    const { survivors } = watch(source, true);
    source.leave('session', 'history');
    source.majorGcEpoch = 2;
    survivors.inspect(calm);
    expect(survivors.list()).toEqual([]);
  });

  it('suspects, probes, and confirms what is still there seconds later', () => {
    const source = new Source();
    const { survivors, tick, probes } = watch(source, true);
    source.leave('session', 'history', 'process/session:7');
    source.leave('session', 'history', 'process/session:8');
    source.majorGcEpoch = 3;
    survivors.inspect(calm);
    expect(probes()).toBe(1);
    expect(survivors.list()).toMatchObject([{ state: 'suspect', alive: 2, example: 'process/session:7' }]);
    expect(survivors.count).toBe(0);
    tick(4900);
    survivors.inspect(calm);
    expect(survivors.list()).toMatchObject([{ state: 'suspect' }]);
    tick(200);
    survivors.inspect(calm);
    expect(survivors.list()).toMatchObject([
      { kind: 'session', label: 'history', state: 'confirmed', alive: 2 },
    ]);
    expect(survivors.count).toBe(2);
  });

  it('waits for a second look after a probe: a process that stood still has a late clock', () => {
    const source = new Source();
    const { survivors, tick } = watch(source, true);
    source.leave('session', 'history');
    source.majorGcEpoch = 3;
    survivors.inspect(calm);
    tick(20_000);
    survivors.inspect(calm);
    expect(survivors.list()).toMatchObject([{ state: 'suspect' }]);
    tick(10);
    survivors.inspect(calm);
    expect(survivors.list()).toMatchObject([{ state: 'confirmed' }]);
  });

  it('decides at the end what is watched, and leaves closed scopes to their finalisers', () => {
    const source = new Source();
    const { survivors } = watch(source, false);
    source.leave('session', 'history');
    source.leave('session', 'late');
    source.scopes.push({
      id: 1,
      path: 'process/run:1',
      kind: 'run',
      name: '1',
      closedAt: 0,
      majorGcEpoch: 0,
    });
    (source.entries[1] as { majorGcEpoch: number }).majorGcEpoch = 2;
    source.majorGcEpoch = 3;
    survivors.conclude();
    expect(survivors.list().map(({ label, state }) => [label, state])).toEqual([
      ['history', 'confirmed'],
      ['scope', 'suspect'],
    ]);
  });

  it('drops a suspicion when the probe frees it', () => {
    const source = new Source();
    const { survivors, tick } = watch(source, true);
    source.leave('session', 'history');
    source.majorGcEpoch = 3;
    survivors.inspect(calm);
    source.entries.length = 0;
    tick(2000);
    survivors.inspect(calm);
    expect(survivors.list()).toEqual([]);
  });

  it('confirms nothing that closed a moment ago, however many collections it survived', () => {
    const source = new Source();
    let now = 0;
    let cpuMs = 0;
    const pass = (ms: number, workedMs: number): void => {
      now += ms;
      cpuMs += workedMs;
      source.majorGcEpoch += 10;
    };
    const survivors = new Survivors({ source, clock: { monotonic: () => now, cpu: () => cpuMs } });
    const state = (): string | undefined => {
      survivors.inspect(calm);
      return survivors.list()[0]?.state;
    };
    source.leave('session', 'history');
    source.leave('session', 'history');
    for (let i = 0; i < 5; i++) {
      pass(800, 300);
      expect(state()).toBe('suspect');
    }
    // Another session that closes late keeps the group alive, and is young itself.
    source.entries.splice(0);
    source.leave('session', 'history');
    source.leave('session', 'history');
    pass(3000, 3000);
    expect(state()).toBe('suspect');
    // The machine is busy: six seconds in which the process hardly ran.
    pass(6000, 100);
    expect(state()).toBe('suspect');
    pass(100, 200);
    expect(state()).toBe('confirmed');
  });

  it('lets a minute stand in for work in a process that idles', () => {
    const source = new Source();
    let now = 0;
    const survivors = new Survivors({ source, clock: { monotonic: () => now, cpu: () => 0 } });
    source.leave('session', 'history');
    source.leave('session', 'history');
    source.majorGcEpoch = 6;
    survivors.inspect(calm);
    now = 59_000;
    survivors.inspect(calm);
    expect(survivors.list()).toMatchObject([{ state: 'suspect' }]);
    now = 60_000;
    survivors.inspect(calm);
    expect(survivors.list()).toMatchObject([{ state: 'confirmed' }]);
  });

  it('does not accuse at the end what closed a moment before it', () => {
    const source = new Source();
    const survivors = new Survivors({ source, clock: { monotonic: () => 40_000, now: () => 40_000 } });
    source.leave('session', 'history');
    source.leave('tool', 'late');
    (source.entries[1] as { closedAt: number }).closedAt = 39_000;
    source.majorGcEpoch = 30;
    survivors.conclude();
    expect(survivors.list().map(({ label, state }) => [label, state])).toEqual([
      ['history', 'confirmed'],
      ['late', 'suspect'],
    ]);
  });

  it('waits for twice as many GCs and a second survivor where no probe may run', () => {
    const source = new Source();
    const { survivors, tick } = watch(source, false);
    source.leave('tool', 'output');
    source.leave('tool', 'output');
    source.majorGcEpoch = 5;
    survivors.inspect(calm);
    tick(10_000);
    survivors.inspect(calm);
    expect(survivors.list()).toMatchObject([{ state: 'suspect' }]);
    source.majorGcEpoch = 6;
    tick(10);
    survivors.inspect(calm);
    expect(survivors.list()).toMatchObject([{ state: 'confirmed' }]);
  });

  it('groups by kind and label, scopes apart from what they watched', () => {
    const source = new Source();
    const { survivors, tick } = watch(source, true);
    source.leave('session', 'history');
    source.leave('session', 'buffer');
    source.leave('agent', 'history');
    source.scopes.push({
      id: 1,
      path: 'process/session:1',
      kind: 'session',
      name: '1',
      closedAt: 0,
      majorGcEpoch: 0,
    });
    source.majorGcEpoch = 3;
    survivors.inspect(calm);
    tick(2000);
    survivors.inspect(calm);
    const groups = survivors.list();
    expect(groups.map(({ kind, label }) => `${kind} ${label}`)).toEqual([
      'session history',
      'session buffer',
      'agent history',
      'session scope',
    ]);
    expect(new Set(groups.map(({ fingerprint }) => fingerprint)).size).toBe(4);
  });

  it('keeps a confirmed group that is gone at zero, and sees it come back', () => {
    const source = new Source();
    const { survivors, tick } = watch(source, true);
    source.leave('session', 'history');
    source.majorGcEpoch = 3;
    for (let look = 0; look < 4; look++) {
      survivors.inspect(calm);
      tick(2000);
    }
    expect(survivors.count).toBe(1);
    const left = source.entries.splice(0);
    source.majorGcEpoch++;
    tick(2000);
    survivors.inspect(calm);
    expect(survivors.count).toBe(0);
    source.entries.push(...left);
    source.majorGcEpoch++;
    tick(2000);
    survivors.inspect(calm);
    expect(survivors.count).toBe(1);
  });

  it('does not look again without a major GC, nor more often than its share of the core allows', () => {
    const source = new Source();
    let now = 0;
    const slow: SurvivorSource = {
      majorGcEpoch: 0,
      watched: () => {
        source.looks++;
        now += 5;
        return [];
      },
      lingering: () => [],
    };
    const survivors = new Survivors({ source: slow, clock: { monotonic: () => now } });
    expect(survivors.inspect(calm)).toBe(true);
    expect(survivors.inspect(calm)).toBe(false);
    (slow as { majorGcEpoch: number }).majorGcEpoch = 1;
    // A look of 5 ms at a thousandth of a core: not again for 5 s.
    now += 4000;
    expect(survivors.inspect(calm)).toBe(false);
    now += 1000;
    expect(survivors.inspect(calm)).toBe(true);
    expect(source.looks).toBe(2);
  });

  it('does not pay for the time in which a busy machine did something else', () => {
    let now = 0;
    const source: { majorGcEpoch: number } & SurvivorSource = {
      majorGcEpoch: 0,
      watched: () => {
        now += 60;
        return [];
      },
      lingering: () => [],
    };
    const survivors = new Survivors({ source, clock: { monotonic: () => now, cpu: () => 0 } });
    expect(survivors.inspect(calm)).toBe(true);
    source.majorGcEpoch = 1;
    expect(survivors.inspect(calm)).toBe(true);
  });

  it('follows at most 256 groups and counts the rest', () => {
    const source = new Source();
    const { survivors } = watch(source, true);
    for (let i = 0; i < 300; i++) source.leave('session', `label ${i}`);
    source.majorGcEpoch = 3;
    survivors.inspect(calm);
    expect(survivors.list()).toHaveLength(256);
    expect(survivors.overflow).toBe(44);
  });
});

/** In a function of its own: a suspended one keeps its last variables alive. */
async function useSession(name: string, leaked: object[] | undefined): Promise<void> {
  const scope = open('leaktest', name);
  const history = { text: 'x'.repeat(100) };
  scope.watch(history, leaked === undefined ? 'freed history' : 'kept history');
  leaked?.push(history);
  await scope.close();
}

describe('with real scopes', () => {
  it('confirms a session that something still holds, and only that', async () => {
    const leaked: object[] = [];
    for (let i = 0; i < 6; i++) await useSession(`s${i}`, i % 2 === 0 ? leaked : undefined);
    const survivors = new Survivors({
      source: roster,
      forced: new ForcedGc({ intervalMs: 1000 }),
      clock: { monotonic: () => 10 * performance.now() },
    });
    const deadline = Date.now() + 50_000;
    while (survivors.count === 0 && Date.now() < deadline) {
      await collectUntil(() => true);
      roster.noteMajorGc();
      survivors.inspect(calm);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(survivors.list()).toMatchObject([
      { kind: 'leaktest', label: 'kept history', alive: 3, state: 'confirmed' },
    ]);
    expect(leaked).toHaveLength(3);
  });
});
