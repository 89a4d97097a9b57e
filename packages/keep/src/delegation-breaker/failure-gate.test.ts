import { setImmediate as turn } from 'node:timers/promises';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { describe, expect, test } from 'vitest';
import { DelegationBreaker } from './delegation-breaker.ts';
import { denial } from './breaker.fixture.ts';

describe('agents that fail', () => {
  test('are left alone, probed once, and closed again by a success', async () => {
    const clock = new FakeClock();
    using breaker = new DelegationBreaker({ total: 100, failures: { count: 3, pause: '30s' }, clock });
    const events: string[] = [];
    for (const event of ['agent-open', 'agent-probe', 'agent-closed'] as const)
      breaker.on(event, ({ agent }) => events.push(`${event} ${agent}`));
    const fail = (): Promise<unknown> =>
      breaker.run({ agent: 'search' }, () => {
        throw new Error('down');
      });
    for (let i = 0; i < 3; i++) await expect(fail()).rejects.toThrow('down');
    expect(await denial(fail())).toMatchObject({
      limit: 'failures',
      message: expect.stringContaining('next try in 30 s') as string,
    });
    expect(await breaker.run({ agent: 'other' }, () => 'fine')).toBe('fine');
    expect(breaker.stats().openAgents).toEqual(['search']);
    clock.advance(30_000);
    const probe = breaker.run({ agent: 'search' }, () => turn('up'));
    expect(await denial(breaker.run({ agent: 'search' }, () => 1))).toMatchObject({
      message: expect.stringContaining('being tried by another') as string,
    });
    expect(await probe).toBe('up');
    expect(breaker.stats().openAgents).toEqual([]);
    expect(events).toEqual(['agent-open search', 'agent-probe search', 'agent-closed search']);
  });

  test('stay open when the probe fails, and are probed again when it was cancelled', async () => {
    const clock = new FakeClock();
    using breaker = new DelegationBreaker({ total: 100, failures: { count: 1, pause: 1000 }, clock });
    const fail = (): Promise<unknown> => breaker.run({ agent: 'a' }, () => Promise.reject(new Error('down')));
    await expect(fail()).rejects.toThrow('down');
    clock.advance(1000);
    await expect(fail()).rejects.toThrow('down');
    expect(await denial(fail())).toMatchObject({ limit: 'failures' });
    clock.advance(1000);
    const probe = breaker.run({ agent: 'a' }, () => turn());
    breaker.cancel(breaker.roots()[0]?.id as number);
    await expect(probe).rejects.toMatchObject({ code: 'PLM_DELEGATION_CANCELLED' });
    await turn();
    expect(await breaker.run({ agent: 'a' }, () => 'up')).toBe('up');
  });

  test('a refusal further down is no failure of the agents above it', async () => {
    using breaker = new DelegationBreaker({ total: 2, failures: { count: 1 } });
    const tree = (): Promise<unknown> =>
      breaker.run({ agent: 'a' }, () =>
        breaker.run({ agent: 'b' }, () => breaker.run({ agent: 'c' }, () => 1)),
      );
    expect(await denial(tree())).toMatchObject({ limit: 'total' });
    expect(await denial(tree())).toMatchObject({ limit: 'total' });
  });

  test('the memory of failures is bounded', async () => {
    using breaker = new DelegationBreaker({ total: 10, failures: { count: 1 } });
    for (let i = 0; i < 1100; i++)
      await breaker.run({ agent: `agent ${i}` }, () => Promise.reject(new Error('x'))).catch(() => {});
    expect(breaker.stats().openAgents).toHaveLength(1000);
    using deaf = new DelegationBreaker({ total: 10, failures: false });
    for (let i = 0; i < 9; i++)
      await deaf.run({ agent: 'a' }, () => Promise.reject(new Error('x'))).catch(() => {});
    expect(await deaf.run({ agent: 'a' }, () => 1)).toBe(1);
  });
});
