import { describe, expect, test } from 'vitest';
import {
  ListSink,
  change,
  hour,
  minute,
  routerOf,
  second,
  shortly,
  oneSink,
  textOf,
  record,
} from './alert.fixture.ts';
import { parseMatcher } from './silence.ts';

describe('levels', () => {
  test('an alert is told after the wait, once, repeated after the repeat time, and its end is told', async () => {
    const { router, pass, sink } = oneSink();
    router.level(change('process', 'warning'));
    await pass(29 * second);
    expect(sink.notices).toEqual([]);
    await pass(second);
    await pass(4 * hour - second, minute);
    expect(sink.notices.map(shortly)).toEqual(['warning: +process/warning']);
    await pass(second);
    router.level(change('process', 'normal'));
    await pass(hour, minute);
    expect(sink.notices.map(shortly)).toEqual([
      'warning: +process/warning',
      'warning: +process/warning',
      'warning: -process/warning',
    ]);
    expect(router.counts).toMatchObject({ firing: 0, recipients: { ops: { sent: 3, lost: 0, waiting: 0 } } });
    router.close();
  });

  test('what ends before the wait is never told', async () => {
    const { router, pass, sink, clock } = oneSink();
    router.level(change('process', 'warning'));
    await pass(29 * second);
    router.level(change('process', 'normal'));
    await pass(hour, minute);
    expect(sink.notices).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  test('an emergency waits for a second only and mutes what is below, of every kind', async () => {
    const { router, pass, sink, events } = oneSink();
    router.level(change('process/session:1', 'warning'));
    await pass(10 * second);
    router.level(change('process', 'emergency'));
    await pass(second);
    expect(sink.notices.map(shortly)).toEqual(['emergency: +process/emergency']);
    await pass(minute, second);
    expect(sink.notices).toHaveLength(1);
    expect(router.counts.inhibited).toBe(3);
    expect(events.filter(({ event }) => event === 'suppressed')).toHaveLength(3);
    router.level(change('process', 'normal'));
    await pass(10 * minute, second);
    // The session is still at warning, which is news now that the emergency is over.
    expect(sink.notices.map(shortly)).toEqual([
      'emergency: +process/emergency',
      'warning: +session/warning',
      'emergency: -process/emergency',
    ]);
  });

  test('an incident is one alert: it mutes those about its parts, rises with its level and ends', async () => {
    const { router, pass, sink } = oneSink();
    const incident = (level: 'warning' | 'critical', summary: string | null): void =>
      router.trouble({ name: 'memory.incident', level, subject: 'I-1', summary });
    incident('warning', 'Memory grows.');
    router.level(change('process', 'warning'));
    router.trouble({ name: 'memory.survivors', level: 'warning', summary: '9 objects' });
    router.level(change('process/session:1', 'warning'));
    await pass(minute, second);
    expect(
      sink.notices.flatMap(({ firing }) => firing.map(({ labels }) => `${labels.alertname} ${labels.kind}`)),
    ).toEqual(['memory.incident process', 'memory.level session']);
    incident('critical', 'Memory grows; full in 40 s.');
    incident('warning', null);
    await pass(10 * minute, second);
    const said = sink.notices.flatMap(({ firing }) => firing.map(({ summary }) => summary));
    expect(said).toContain('Memory grows; full in 40 s.');
    incident('critical', null);
    await pass(10 * minute, second);
    const ended = sink.notices.flatMap(({ resolved }) =>
      resolved.map(({ labels }) => `${labels.alertname} ${labels.level}`),
    );
    expect(ended).toContain('memory.incident critical');
    // What goes on after the incident is news again.
    const kinds = sink.notices.flatMap(({ firing }) =>
      firing.map(({ labels }) => `${labels.alertname} ${labels.kind}`),
    );
    expect(kinds).toContain('memory.level process');
    router.close();
  });

  test('sessions in emergency mute their own kind only, never the process', async () => {
    const { router, pass, sink } = oneSink();
    router.level(change('process/session:1', 'emergency'));
    router.level(change('process', 'critical'));
    router.level(change('process/agent:1', 'warning'));
    await pass(minute, second);
    expect(sink.notices.map(shortly)).toEqual([
      'emergency: +session/emergency',
      'critical: +process/critical',
      'warning: +agent/warning',
    ]);
  });

  test('a thousand sessions are one alert with the worst five', async () => {
    const { router, pass, sink } = oneSink();
    for (let i = 0; i < 1000; i++)
      router.level(
        change(`process/agent:a/session:${i}`, 'critical', {
          usedBytes: (80 + i / 100) * 2 ** 20,
          limitBytes: 64 * 2 ** 20,
        }),
      );
    router.action(record('cache.drop', 'done', { text: 'freed 12.0 MiB.' }));
    await pass(31 * second);
    expect(sink.notices).toHaveLength(1);
    expect(textOf(sink.notices[0])).toMatchInlineSnapshot(`
      "CRITICAL: 1 alert of checkout on pod-1 fires
      critical memory.level (session): 1000 scopes of kind session are at critical or above; the worst, process/agent:a/session:999, holds 90.0 MiB of 64.0 MiB (141 %).
        process/agent:a/session:999 90.0 MiB of 64.0 MiB (141 %)
        process/agent:a/session:998 90.0 MiB of 64.0 MiB (141 %)
        process/agent:a/session:997 90.0 MiB of 64.0 MiB (141 %)
        process/agent:a/session:996 90.0 MiB of 64.0 MiB (141 %)
        process/agent:a/session:995 90.0 MiB of 64.0 MiB (141 %)
        and 995 more
        done: cache.drop: freed 12.0 MiB."
    `);
    for (let i = 0; i < 999; i++) router.level(change(`process/agent:a/session:${i}`, 'normal'));
    await pass(hour, minute);
    expect(sink.notices).toHaveLength(1);
    router.level(change('process/agent:a/session:999', 'normal', { source: 'closed' }));
    await pass(hour, minute);
    expect(textOf(sink.notices[1])).toMatchInlineSnapshot(`
      "resolved: 1 alert of checkout on pod-1
      resolved after 1 h 1 m: memory.level (session, critical)"
    `);
  });

  test('flapping within the wait is one alert', async () => {
    const { router, pass, sink } = oneSink();
    router.level(change('process', 'critical'));
    await pass(minute, second);
    for (let i = 0; i < 50; i++) {
      router.level(change('process', 'normal'));
      await pass(20 * second);
      router.level(change('process', 'critical'));
      await pass(20 * second);
    }
    expect(sink.notices.map(shortly)).toEqual(['critical: +process/critical']);
  });

  test('a forecast is said', async () => {
    const { router, pass, sink } = oneSink();
    router.level(change('process', 'emergency', { timeToLimitMs: 42_000 }));
    await pass(2 * second);
    expect(sink.notices[0]?.firing[0]?.summary).toBe(
      'the process holds 62.1 MiB of 64.0 MiB (97 %) by heap, level emergency; at this growth the limit is reached in 42 s.',
    );
  });

  test('scopes and kinds beyond the bounds are counted and harm nothing', async () => {
    const { router, pass, sink } = oneSink();
    for (let i = 0; i < 100; i++) router.level(change(`process/kind${i}:1`, 'warning'));
    for (let i = 0; i < 2100; i++) router.level(change(`process/session:${i}`, 'warning'));
    expect(router.counts.refused).toBe(152);
    router.level(change('process', 'critical'));
    await pass(31 * second);
    await pass(10 * minute, second);
    const kinds = sink.notices.flatMap(({ firing }) => firing.map(({ labels }) => labels.kind));
    expect([kinds.length, new Set(kinds).size]).toEqual([66, 66]);
    expect(kinds).toContain('other');
  });

  test('more alerts than fit in the book are refused, and ended ones make room', async () => {
    const { router, pass } = oneSink({ most: 16 });
    for (let i = 0; i < 20; i++) router.level(change(`process/kind${i}:1`, 'warning'));
    expect(router.counts).toMatchObject({ firing: 16, refused: 4 });
    await pass(minute, second);
    router.level(change('process/kind0:1', 'normal'));
    router.level(change('process/kind30:1', 'warning'));
    expect(router.counts).toMatchObject({ firing: 16, refused: 4 });
  });
});

describe('groups', () => {
  test('alerts with equal labels go out together, and later ones keep the interval of the group', async () => {
    const { router, pass, sink } = oneSink();
    router.level(change('process/session:1', 'warning'));
    router.level(change('process/agent:1', 'warning'));
    await pass(30 * second);
    expect(sink.notices.map(shortly)).toEqual(['warning: +session/warning +agent/warning']);
    router.level(change('process/tool:1', 'warning'));
    await pass(5 * minute - second, second);
    expect(sink.notices).toHaveLength(1);
    await pass(second);
    expect(sink.notices.map(shortly)).toEqual([
      'warning: +session/warning +agent/warning',
      'warning: +tool/warning',
    ]);
    expect(sink.notices[1]?.stillFiring).toBe(2);
  });

  test('grouping by kind tells each kind apart', async () => {
    const { router, pass, sink } = oneSink({ rules: { groupBy: ['kind'] } });
    router.level(change('process/session:1', 'critical'));
    router.level(change('process/agent:1', 'warning'));
    await pass(30 * second);
    expect(sink.notices.map(({ group }) => group)).toEqual([{ kind: 'session' }, { kind: 'agent' }]);
  });

  test('routes decide by level who is told', async () => {
    const sinks = ['coordinator', 'captain', 'integration'].map((name) => new ListSink(name));
    const { router, pass } = routerOf({
      sinks,
      rules: {
        routes: {
          warning: ['coordinator'],
          critical: ['captain', 'coordinator'],
          emergency: ['captain', 'coordinator', 'integration'],
        },
      },
    });
    router.level(change('process', 'warning'));
    await pass(minute, second);
    router.level(change('process', 'critical'));
    await pass(minute, second);
    router.level(change('process', 'emergency'));
    await pass(minute, second);
    expect(sinks.map(({ name, notices }) => [name, ...notices.map(({ level }) => level)])).toEqual([
      ['coordinator', 'warning', 'critical', 'emergency'],
      ['captain', 'critical', 'emergency'],
      ['integration', 'emergency'],
    ]);
  });
});

describe('silences', () => {
  test('what matches is not told until the silence ends', async () => {
    const { router, pass, sink, events } = oneSink();
    const silence = router.silence({
      matchers: [parseMatcher('kind=sess*'), parseMatcher('level!=emergency')],
      author: 'ann',
      comment: 'load test',
      forMs: hour,
    });
    router.level(change('process/session:1', 'critical'));
    router.level(change('process/agent:1', 'warning'));
    await pass(59 * minute, minute);
    expect(sink.notices.map(shortly)).toEqual(['warning: +agent/warning']);
    expect(router.counts.silenced).toBe(2);
    await pass(2 * minute, minute);
    expect(sink.notices.map(shortly)).toEqual(['warning: +agent/warning', 'critical: +session/critical']);
    expect(router.silences()).toEqual([]);
    expect(events.filter(({ event }) => event === 'silenced')).toEqual([
      { event: 'silenced', silence, by: 'ann' },
    ]);
  });

  test('a silence can be ended, and the end of a silenced alert is not told', async () => {
    const { router, pass, sink } = oneSink();
    router.level(change('process', 'warning'));
    await pass(minute, second);
    const { id } = router.silence({
      matchers: [parseMatcher('alertname=memory.level')],
      author: 'ann',
      forMs: hour,
    });
    router.level(change('process', 'normal'));
    await pass(10 * minute, minute);
    expect(sink.notices).toHaveLength(1);
    expect(router.unsilence(id, 'bob')).toBe(true);
    expect(router.unsilence(id, 'bob')).toBe(false);
    router.level(change('process', 'critical'));
    await pass(10 * minute, minute);
    expect(sink.notices.map(shortly)).toEqual(['warning: +process/warning', 'critical: +process/critical']);
  });
});
