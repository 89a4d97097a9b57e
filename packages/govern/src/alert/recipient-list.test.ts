import { describe, expect, test, vi } from 'vitest';
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
  oneSink,
} from './alert.fixture.ts';
import { AlertRouter } from './alert-router.ts';
import { parseMatcher } from './silence.ts';
import { DeliveryError } from './sinks/sink.ts';

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
