import { channel } from 'node:diagnostics_channel';
import { describe, expect, test, vi } from 'vitest';
import type { ActionRecord } from '../govern/action.ts';
import {
  ListSink,
  StateSink,
  change,
  hour,
  minute,
  recipientRule,
  routerOf,
  second,
  settle,
  shortly,
} from './alert.fixture.ts';
import { AlertRouter } from './alert-router.ts';
import type { Notice } from './alert.ts';
import { linesOf, titleOf } from './notice-text.ts';
import { parseMatcher } from './silence.ts';
import { DeliveryError } from './sinks/sink.ts';

function oneSink(rules: Parameters<typeof routerOf>[0] = {}) {
  const sink = new ListSink('ops');
  return { ...routerOf({ sinks: [sink], ...rules }), sink };
}

const textOf = (notice: Notice | undefined): string =>
  notice === undefined ? '' : [titleOf(notice), ...linesOf(notice)].join('\n');

const record = (action: string, outcome: string, more: Partial<ActionRecord> = {}): ActionRecord =>
  ({
    action,
    outcome,
    scope: 'process/session:1',
    level: 'critical',
    text: `${action} ended 1 scope.`,
    mode: 'enforce',
    freedBytes: 0,
    rule: 'ladder.critical (plimsoll.yaml:30)',
    change: change('process/session:1', 'critical'),
    at: 0,
    policy: { revision: 1, sha256: 'ab' },
    ...more,
  }) as ActionRecord;

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

describe('other facts', () => {
  test('failed and grave actions alert, others are only named in the alert of their kind', async () => {
    const { router, pass, sink } = oneSink();
    router.action(record('notify', 'done'));
    router.action(record('cache.drop', 'done'));
    router.action(record('cache.drop', 'failed', { text: 'the action "cache.drop" failed: Error: x.' }));
    router.action(record('scope.stop', 'done'));
    router.action(record('scope.stop', 'would-have'));
    router.action(
      record('process.restart', 'done', { scope: 'process', text: 'drains for 30 s and exits.' }),
    );
    await pass(minute, second);
    expect(sink.notices.map(textOf)).toMatchInlineSnapshot(`
      [
        "EMERGENCY: 1 alert of checkout on pod-1 fires
      emergency memory.restart process.restart (process): drains for 30 s and exits.",
        "CRITICAL: 2 alerts of checkout on pod-1 fire
      critical memory.action.failed cache.drop (session): the action "cache.drop" failed: Error: x.
      critical memory.action scope.stop (session): scope.stop ended 1 scope.",
      ]
    `);
    await pass(hour, minute);
    // What happened has no end that people wait for.
    expect(sink.notices).toHaveLength(2);
    expect(router.counts.firing).toBe(0);
  });

  test('a finding alerts by what it is, not by where it was seen; a suspicion does not', async () => {
    const { router, pass, sink } = oneSink();
    const finding = {
      id: 'F-12ab34',
      kind: 'survivor',
      severity: 'medium',
      scope: 'process/session:1',
      fingerprint: 'aabbccddeeff00112233',
      count: 3,
      bytes: 1_048_576,
      fix: 'let go of it.',
    };
    router.finding({ ...finding, severity: 'low' });
    for (let i = 0; i < 100; i++) router.finding({ ...finding, scope: `process/session:${i}`, count: i });
    router.finding({ ...finding, severity: 'critical', fingerprint: 'ff', bytes: 0 });
    await pass(minute, second);
    expect(sink.notices.map(textOf)).toMatchInlineSnapshot(`
      [
        "WARNING: 1 alert of checkout on pod-1 fires
      warning memory.finding aabbccddeeff0011 (session): medium finding F-12ab34 (survivor), seen 99 times, such as at process/session:99, 1.0 MiB held.
        fix: let go of it.",
        "CRITICAL: 1 alert of checkout on pod-1 fires
      critical memory.finding ff (session): critical finding F-12ab34 (survivor), seen 3 times, such as at process/session:1.
        fix: let go of it.",
      ]
    `);
  });

  test('an approval is told at once with what an answer needs, and not when it is over', async () => {
    const { router, pass, sink, clock } = oneSink();
    const approval = {
      id: '7f3a',
      digest: 'sha256:2c26',
      action: 'scope.stop',
      scope: 'process/session:1',
      why: 'it holds 71.4 MiB of 64.0 MiB',
      evidence: { level: 'critical' },
      at: clock.now(),
      deadlineAt: clock.now() + 2 * minute,
      onExpiry: 'skip',
      state: 'open',
    };
    router.level(change('process', 'emergency'));
    router.approval(approval);
    await pass(second);
    expect(sink.notices.map(textOf)).toMatchInlineSnapshot(`
      [
        "EMERGENCY: 1 alert of checkout on pod-1 fires
      emergency memory.level (process): the process holds 62.1 MiB of 64.0 MiB (97 %) by heap, level emergency.",
        "CRITICAL: 1 alert of checkout on pod-1 fires
      critical memory.approval 7f3a (session): approval 7f3a waits: scope.stop on process/session:1, because it holds 71.4 MiB of 64.0 MiB. No answer within 2 m means skip.
        fix: plimsoll approvals approve 7f3a, or deny 7f3a.",
      ]
    `);
    expect(sink.notices[1]?.firing[0]?.values).toEqual({
      approval: '7f3a',
      digest: 'sha256:2c26',
      deadline: new Date(approval.deadlineAt).toISOString(),
    });
    router.approval({ ...approval, id: '8000' });
    await pass(20 * second, second);
    expect(sink.notices.map(({ firing }) => firing[0]?.labels.subject)).toEqual(['', '7f3a', '8000']);
    router.approval({ ...approval, state: 'approved' });
    await pass(hour, minute);
    expect(sink.notices).toHaveLength(3);
  });

  test('a flood of approvals stays within the bounds and is counted', async () => {
    const { router, pass, sink, clock } = oneSink();
    for (let i = 0; i < 1000; i++)
      router.approval({
        id: `a${i}`,
        digest: 'd',
        action: 'scope.stop',
        scope: `process/session:${i}`,
        why: 'x',
        evidence: {},
        at: clock.now(),
        deadlineAt: clock.now() + 2 * minute,
        onExpiry: 'skip',
        state: 'open',
      });
    expect(router.counts).toMatchObject({ firing: 256, refused: 744 });
    await pass(5 * minute, second);
    expect(sink.notices.map(({ firing }) => firing.length)).toEqual([50, 50, 50, 50, 50, 6]);
    expect(router.counts.firing).toBe(0);
  });

  test('a wall clock that jumps moves nothing but what is shown', async () => {
    const { router, pass, sink, clock } = oneSink();
    router.silence({ matchers: [parseMatcher('kind=agent')], author: 'ann', forMs: hour });
    router.level(change('process/session:1', 'warning'));
    router.level(change('process/agent:1', 'warning'));
    clock.jump(24 * hour);
    await pass(29 * second);
    expect(sink.notices).toEqual([]);
    clock.jump(-48 * hour);
    await pass(hour, minute);
    expect(sink.notices.map(shortly)).toEqual(['warning: +session/warning', 'warning: +agent/warning']);
  });

  test('missing readings and a rollback alert', async () => {
    const { router, pass, sink } = oneSink();
    router.stale(16_000);
    router.rollback({
      at: 0,
      event: 'rollback',
      trigger: 'growth',
      level: 'emergency',
      text: 'the floor grew by 24.0 MiB since revision 3 was enforced; shadow mode is in force.',
      evidence: {},
      from: { file: 'a', revision: 3, sha256: 'a', mode: 'enforce' },
      to: { file: 'a', revision: 3, sha256: 'a', mode: 'shadow' },
      by: null,
      reason: 'growth',
    });
    await pass(2 * second);
    expect(sink.notices.map(textOf)).toMatchInlineSnapshot(`
      [
        "EMERGENCY: 1 alert of checkout on pod-1 fires
      emergency memory.rollback growth (process): the floor grew by 24.0 MiB since revision 3 was enforced; shadow mode is in force.",
      ]
    `);
    await pass(15 * minute, second);
    router.stale(null);
    await pass(15 * minute, second);
    expect(sink.notices.slice(1).map(textOf)).toMatchInlineSnapshot(`
      [
        "CRITICAL: 1 alert of checkout on pod-1 fires
      critical memory.sensor.stale (process): no reading for 16 s: levels are held and no action runs.
        fix: look for a blocked event loop or a stopped sampler.",
        "resolved: 1 alert of checkout on pod-1
      resolved after 15 m 2 s: memory.sensor.stale (process, critical)",
      ]
    `);
  });

  test('the channels of the process are listened to from start to close', async () => {
    const { router, pass, sink } = oneSink();
    const publish = (): void => channel('plimsoll:level').publish(change('process', 'emergency'));
    publish();
    expect(router.counts.firing).toBe(0);
    router.start();
    publish();
    channel('plimsoll:action').publish(record('scope.stop', 'done'));
    channel('plimsoll:finding').publish({ severity: 'low' });
    channel('plimsoll:approval').publish({ state: 'denied', id: 'x', scope: 'process', evidence: {} });
    channel('plimsoll:rollback').publish({ trigger: 'manual', text: 'by hand.' });
    channel('plimsoll:level').publish(undefined);
    await pass(2 * second);
    expect(sink.notices.map(shortly)).toEqual(['emergency: +process/emergency +process/emergency']);
    router.close();
    publish();
    expect(router.alerts().map(({ labels }) => labels.alertname)).toContain('memory.level');
  });
});

describe('delivery', () => {
  test('what is lost is told again with the next notice of its group', async () => {
    const { router, pass, sink, events } = oneSink();
    sink.fails = new Error('down');
    router.level(change('process', 'critical'));
    await pass(minute, second);
    expect(events.map(({ event }) => event)).toEqual(['suppressed', 'lost']);
    expect(router.counts.recipients['ops']).toMatchObject({ sent: 0, lost: 1, retried: 2 });
    sink.fails = undefined;
    await pass(5 * minute, second);
    expect(sink.notices.map(shortly)).toEqual(['critical: +process/critical']);
  });

  test('a lost repeat is made good, and who was told before hears of the end all the same', async () => {
    const { router, pass, sink } = oneSink();
    router.level(change('process', 'critical'));
    await pass(4 * hour, minute);
    sink.fails = new Error('down');
    await pass(2 * minute, second);
    sink.fails = undefined;
    await pass(10 * minute, second);
    expect(sink.notices.map(shortly)).toEqual(['critical: +process/critical', 'critical: +process/critical']);
    await pass(4 * hour - 8 * minute, minute);
    sink.fails = new Error('down');
    await pass(3 * minute, second);
    router.level(change('process', 'normal'));
    sink.fails = undefined;
    await pass(10 * minute, second);
    expect(sink.notices.slice(2).map(shortly)).toEqual(['critical: -process/critical']);
  });

  test('a recipient that is gone is not told any more', async () => {
    const { router, pass, sink } = oneSink();
    sink.fails = new DeliveryError('it answered 410', { gone: true });
    router.level(change('process', 'critical'));
    await pass(hour, minute);
    expect(router.counts.recipients['ops']).toMatchObject({ sent: 0, lost: 1, gone: true });
  });

  test('flush tells what waits at once', async () => {
    const { router, sink, clock } = oneSink();
    router.level(change('process', 'critical'));
    const flushed = router.flush(5 * second);
    await settle();
    await flushed;
    expect(sink.notices.map(shortly)).toEqual(['critical: +process/critical']);
    sink.fails = new Error('down');
    router.level(change('process', 'emergency'));
    const late = router.flush(500);
    await settle();
    clock.advance(500);
    await late;
    expect(router.counts.recipients['ops']).toMatchObject({ sent: 1, waiting: 1 });
    router.close();
    expect(router.counts.recipients['ops']?.waiting).toBeLessThanOrEqual(1);
  });

  test('other rules and recipients take over, and those of the same name know what they knew', async () => {
    const { router, pass, sink, rules } = oneSink();
    router.level(change('process', 'critical'));
    await pass(minute, second);
    const pager = new ListSink('pager');
    const names = ['ops', 'pager'];
    router.setRules({ ...rules, routes: { warning: names, critical: names, emergency: names } }, [
      { rule: recipientRule('ops'), sink },
      { rule: recipientRule('pager'), sink: pager },
    ]);
    await pass(minute, second);
    expect([sink.notices.map(shortly), pager.notices.map(shortly)]).toEqual([
      ['critical: +process/critical'],
      ['critical: +process/critical'],
    ]);
    router.setRules(rules, [{ rule: recipientRule('ops'), sink }]);
    router.close();
    router.setRules(rules, []);
    expect(Object.keys(router.counts.recipients)).toEqual(['ops']);
  });

  test('a listener that throws harms nothing', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', onWarning);
    const sink = new ListSink('ops');
    const { clock, rules, pass } = routerOf();
    using router = new AlertRouter({
      rules: { ...rules, urgentWaitMs: 0, groupWaitMs: 0 },
      recipients: [{ rule: recipientRule('ops'), sink }],
      service: 'checkout',
      pod: 'pod-1',
      clock,
      onEvent: () => {
        throw new Error('full disk');
      },
    });
    router.level(change('process', 'emergency'));
    router.level(undefined as never);
    await pass(second);
    expect(sink.notices).toHaveLength(1);
    await vi.waitFor(() => expect(warnings.join()).toContain('a listener for alerts threw'));
    process.off('warning', onWarning);
  });
});

describe('a recipient that groups by itself', () => {
  test('gets the whole state at each change and again in its rhythm, ends for five minutes', async () => {
    const state = new StateSink('prometheus');
    const { router, pass, clock } = routerOf({ sinks: [state] });
    const seen = (): string[] =>
      state.states.map((alerts) =>
        alerts.map(({ labels, status }) => `${labels.level} ${status}`).join(', '),
      );
    router.level(change('process', 'warning'));
    await pass(second, 100);
    expect(seen()).toEqual(['warning firing']);
    await pass(2 * minute, second);
    expect(seen()).toHaveLength(3);
    router.level(change('process', 'normal'));
    await pass(10 * minute, second);
    expect(new Set(seen())).toEqual(new Set(['warning firing', 'warning resolved']));
    expect(seen().filter((text) => text.endsWith('resolved'))).toHaveLength(5);
    expect(clock.waiting).toBe(0);
  });

  test('a failure is counted and made good by the next state; silenced alerts are left out', async () => {
    const state = new StateSink('prometheus');
    const { router, pass, events } = routerOf({ sinks: [state] });
    state.fails = new Error('down');
    router.level(change('process', 'critical'));
    await pass(3 * second, 100);
    expect(events).toEqual([{ event: 'mirror-failed', recipient: 'prometheus', reason: 'down' }]);
    state.fails = undefined;
    router.silence({ matchers: [parseMatcher('level=warning')], author: 'ann', forMs: hour });
    await pass(minute, second);
    expect(state.states.at(-1)?.map(({ labels }) => labels.level)).toEqual(['critical']);
    expect(router.counts.recipients['prometheus']).toMatchObject({ sent: 1, lost: 1 });
    router.close();
  });

  test('one that hangs is given up after its time, and one that is gone is left alone', async () => {
    const hanging = new StateSink('prometheus');
    hanging.mirror = (_alerts, signal?: AbortSignal) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    const { router, pass, events } = routerOf({ sinks: [hanging] });
    router.level(change('process', 'critical'));
    await pass(2 * second, 100);
    router.level(change('process', 'emergency'));
    expect(router.counts.recipients['prometheus']?.waiting).toBe(1);
    await pass(6 * second, 100);
    expect(events.filter(({ event }) => event === 'mirror-failed')).toEqual([
      { event: 'mirror-failed', recipient: 'prometheus', reason: 'no answer within 5000 ms' },
    ]);
    await pass(minute, second);
    router.close();
    const gone = new StateSink('prometheus');
    gone.fails = new DeliveryError('it answered 410', { gone: true });
    const other = routerOf({ sinks: [gone] });
    other.router.level(change('process', 'critical'));
    await other.pass(10 * minute, second);
    expect(gone.states).toHaveLength(1);
    expect(other.router.counts.recipients['prometheus']).toMatchObject({ gone: true });
  });
});
