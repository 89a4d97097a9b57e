import fc from 'fast-check';
import { expect, test } from 'vitest';
import { levels } from '@plimsoll/core/internal/level';
import type { AlertLevel } from '../policy/sections/alert-rules.ts';
import { alertLevels } from '../policy/sections/alert-rules.ts';
import { ListSink, change, minute, routerOf, second } from './alert.fixture.ts';
import type { Notice } from './alert.ts';

const scopes = ['process', 'process/session:1', 'process/session:2', 'process/agent:a', 'process/agent:b'];
const kindOf = (scope: string): string => /(?:^|\/)(\w+)(?::\w+)?$/.exec(scope)?.[1] ?? '';

const rules = {
  groupWaitMs: 30 * second,
  urgentWaitMs: second,
  groupIntervalMs: 2 * minute,
  repeatMs: 10 * minute,
  inhibit: [{ source: 'emergency', target: ['critical', 'warning'], equal: ['service', 'pod'] }],
} as const;

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ scope: fc.constantFrom(...scopes), level: fc.constantFrom(...levels) }),
  },
  { weight: 2, arbitrary: fc.record({ ms: fc.integer({ min: 100, max: 15 * minute }) }) },
  { weight: 1, arbitrary: fc.record({ fails: fc.boolean() }) },
);

/** When an alert fired and was muted, from the levels alone: written without the router's parts. */
class Truth {
  readonly #levels = new Map(scopes.map((scope) => [scope, 0]));
  readonly spans = new Map<string, { from: number; to: number; muted: boolean }[]>();

  take(scope: string, rank: number, at: number): void {
    this.#levels.set(scope, rank);
    this.mark(at);
  }

  mark(at: number): void {
    const isProcessInEmergency = this.#levels.get('process') === 3;
    for (const kind of ['process', 'session', 'agent']) {
      const own = Math.max(
        ...scopes.filter((each) => kindOf(each) === kind).map((each) => this.#levels.get(each) ?? 0),
      );
      for (const [i, level] of alertLevels.entries()) {
        const isFiring = own > i;
        const muted = own > i + 1 || (i < 2 && isProcessInEmergency);
        const key = `${kind}/${level}`;
        const spans = this.spans.get(key) ?? [];
        this.spans.set(key, spans);
        const last = spans.at(-1);
        const isOpen = last !== undefined && last.to === Infinity;
        if (isOpen && isFiring && last.muted === muted) continue;
        if (isOpen) last.to = at;
        if (isFiring) spans.push({ from: at, to: Infinity, muted });
      }
    }
  }

  /** Also at the moment it ends: it may be told and end in the same millisecond. */
  firesAt(key: string, at: number): boolean {
    return (this.spans.get(key) ?? []).some(({ from, to }) => from <= at && at <= to);
  }

  endedAt(key: string, at: number): boolean {
    return !(this.spans.get(key) ?? []).some(({ from, to }) => from < at && at < to);
  }
}

const keyOf = (labels: { kind: string; level: AlertLevel }): string => `${labels.kind}/${labels.level}`;

function checkNotices(notices: readonly Notice[], truth: Truth, start: number): void {
  const told = new Map<string, number>();
  for (const { at, firing, resolved } of notices) {
    for (const { labels } of firing) {
      const key = keyOf(labels);
      const before = told.get(key);
      if (before !== undefined)
        expect(at - start - before, `${key} twice`).toBeGreaterThanOrEqual(rules.repeatMs);
      expect(truth.firesAt(key, at - start), `${key} told at ${at - start} while it does not fire`).toBe(
        true,
      );
      told.set(key, at - start);
    }
    for (const { labels } of resolved) {
      const key = keyOf(labels);
      expect(told.has(key), `${key} ended and was never told`).toBe(true);
      expect(truth.endedAt(key, at - start), `${key} told as ended while it fires`).toBe(true);
      told.delete(key);
    }
  }
}

test('no alert is told twice within the repeat time, each that lasts is told, and its end follows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
      const sink = new ListSink('ops');
      const { clock, router, pass } = routerOf({ sinks: [sink], rules });
      const start = clock.now();
      const truth = new Truth();
      for (const each of steps) {
        if ('ms' in each) await pass(each.ms, 500 + Math.ceil(each.ms / 7));
        else if ('scope' in each) {
          truth.take(each.scope, levels.indexOf(each.level), clock.now() - start);
          router.level(change(each.scope, each.level));
        }
      }
      // Everything ends, and time enough passes for all of it to be told.
      for (const scope of scopes) {
        truth.take(scope, 0, clock.now() - start);
        router.level(change(scope, 'normal'));
      }
      await pass(20 * minute, 30 * second);
      checkNotices(sink.notices, truth, start);
      for (const [key, spans] of truth.spans)
        for (const { from, to, muted } of spans) {
          if (muted || to - from <= rules.groupWaitMs + rules.groupIntervalMs) continue;
          const known = sink.notices.some(
            ({ at, firing }) => at - start < to && firing.some(({ labels }) => keyOf(labels) === key),
          );
          expect(known, `${key} fired from ${from} to ${to} and was never told`).toBe(true);
        }
      const open = new Set<string>();
      for (const { firing, resolved } of sink.notices) {
        for (const { labels } of firing) open.add(keyOf(labels));
        for (const { labels } of resolved) open.delete(keyOf(labels));
      }
      expect([...open], 'told and never ended').toEqual([]);
      expect(router.counts.firing).toBe(0);
      expect(clock.waiting, 'timers left').toBe(0);
      router.close();
    }),
    { numRuns: 1000 },
  );
});

test('what fails to arrive is told again, and never twice within the repeat time once it arrived', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const sink = new ListSink('ops');
      const { clock, router, pass } = routerOf({ sinks: [sink], rules });
      const start = clock.now();
      const truth = new Truth();
      for (const each of steps) {
        if ('ms' in each) await pass(each.ms, 500 + Math.ceil(each.ms / 7));
        else if ('fails' in each) sink.fails = each.fails ? new Error('down') : undefined;
        else {
          truth.take(each.scope, levels.indexOf(each.level), clock.now() - start);
          router.level(change(each.scope, each.level));
        }
      }
      sink.fails = undefined;
      await pass(20 * minute, 10 * second);
      for (const scope of scopes) router.level(change(scope, 'normal'));
      await pass(20 * minute, 10 * second);
      const told = new Map<string, number>();
      for (const { at, firing, resolved } of sink.notices) {
        for (const { labels } of firing) {
          const before = told.get(keyOf(labels));
          if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(rules.repeatMs);
          told.set(keyOf(labels), at);
        }
        for (const { labels } of resolved) told.delete(keyOf(labels));
      }
      expect([...told.keys()]).toEqual([]);
      const { sent, lost, waiting } = router.counts.recipients['ops'] ?? { sent: -1, lost: -1, waiting: -1 };
      expect([sent, waiting]).toEqual([sink.notices.length, 0]);
      expect(lost).toBeGreaterThanOrEqual(0);
      router.close();
    }),
    { numRuns: 500 },
  );
});
