import { channel } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { change, hour, minute, second, shortly, oneSink, textOf, record } from './alert.fixture.ts';
import { parseMatcher } from './silence.ts';

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
      severity: 'medium' as const,
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
