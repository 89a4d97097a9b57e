import { afterEach, describe, expect, test } from 'vitest';
import { warningsOf } from './collect.fixture.ts';
import { open, processScope, roster } from './index.ts';
import type { Scope } from './scope.ts';

afterEach(async () => {
  await processScope().close();
});

function chain(...names: string[]): Scope[] {
  const scopes: Scope[] = [];
  for (const name of names) scopes.push(open('level', name, { parent: scopes.at(-1) ?? processScope() }));
  return scopes;
}

const figures = ({ account: { own, held, peak, charged } }: Scope): number[] => [own, held, peak, charged];

describe('charge and credit', () => {
  test('roll up to every ancestor', () => {
    const [top, middle, leaf] = chain('a', 'b', 'c') as [Scope, Scope, Scope];
    leaf.charge(100);
    middle.charge(10);
    leaf.credit(40);
    expect([leaf, middle, top].map(figures)).toEqual([
      [60, 60, 100, 100],
      [10, 70, 110, 110],
      [0, 70, 110, 110],
    ]);
  });

  test('closing takes what is left off the ancestors and keeps the final figures readable', async () => {
    const [top, leaf] = chain('a', 'b') as [Scope, Scope];
    leaf.charge(100);
    const report = await leaf.close();
    expect(report).toMatchObject({ leftBytes: 100, peakBytes: 100, chargedBytes: 100 });
    expect(figures(leaf)).toEqual([0, 0, 100, 100]);
    expect(figures(top)).toEqual([0, 0, 100, 100]);
  });

  test('fractions are rounded to whole bytes', () => {
    const [scope] = chain('a') as [Scope];
    scope.charge(10.4);
    scope.credit(0.4);
    expect(scope.account.own).toBe(10);
  });

  test('what is no count of bytes is refused with one warning per verb', async () => {
    const [scope] = chain('bad') as [Scope];
    const warnings = await warningsOf(() => {
      for (const bytes of [-1, Number.NaN, Infinity, 2 ** 60, '12', null, undefined]) {
        scope.charge(bytes as number);
        scope.credit(bytes as number);
        scope.line('x').set(bytes as number);
      }
    });
    expect(figures(scope)).toEqual([0, 0, 0, 0]);
    expect(warnings).toMatchInlineSnapshot(`
      [
        "PLM_SCOPE_BAD_BYTES: charge was given -1; the account was not changed. (fix: pass a finite number of bytes from 0 upwards.)",
        "PLM_SCOPE_BAD_BYTES: credit was given -1; the account was not changed. (fix: pass a finite number of bytes from 0 upwards.)",
        "PLM_SCOPE_BAD_BYTES: line.set was given -1; the account was not changed. (fix: pass a finite number of bytes from 0 upwards.)",
      ]
    `);
  });

  test('crediting more than is held stops at zero', async () => {
    const [top, leaf] = chain('a', 'over') as [Scope, Scope];
    top.charge(5);
    leaf.charge(10);
    const warnings = await warningsOf(() => leaf.credit(25));
    expect(figures(leaf)).toEqual([0, 0, 10, 10]);
    expect(top.account.held).toBe(5);
    expect(warnings).toMatchInlineSnapshot(`
      [
        "PLM_SCOPE_OVERCREDIT: 25 bytes were credited to an account that holds 10; it now holds 0. (fix: credit once, on the scope that was charged; a line (scope.line) does that automatically.)",
      ]
    `);
  });

  test('a charge after close is not counted and warned about once', async () => {
    const [top, leaf] = chain('a', 'late') as [Scope, Scope];
    await leaf.close();
    const warnings = await warningsOf(() => {
      leaf.charge(10);
      leaf.charge(10);
      leaf.charge({ bytes: 10 });
      leaf.credit(10);
      leaf.charge(Number.NaN);
      leaf.line('x').set(10);
    });
    expect(figures(leaf)).toEqual([0, 0, 0, 0]);
    expect(top.account.held).toBe(0);
    expect(warnings).toMatchInlineSnapshot(`
      [
        "PLM_SCOPE_CHARGED_LATE: a charge came after the scope had closed and was not counted. (fix: stop the work with scope.signal when its scope closes.)",
        "PLM_SCOPE_BAD_BYTES: charge was given NaN; the account was not changed. (fix: pass a finite number of bytes from 0 upwards.)",
      ]
    `);
  });
});

describe('lines', () => {
  test('a keeper says what it holds now', () => {
    const [top, leaf] = chain('a', 'b') as [Scope, Scope];
    const line = leaf.line('replay-buffer');
    line.set(100);
    line.set(70);
    leaf.charge(1);
    expect(line.bytes).toBe(70);
    expect(line.scope).toBe(leaf);
    expect(figures(top)).toEqual([0, 71, 100, 101]);
    expect(leaf.account.lines()).toEqual([{ label: 'replay-buffer', bytes: 70 }]);
    line[Symbol.dispose]();
    line.close();
    line.set(500);
    expect(top.account.held).toBe(1);
    expect(leaf.account.lines()).toEqual([]);
    expect(line.scope).toBeUndefined();
  });

  test('a line ends with its scope', async () => {
    const [top, leaf] = chain('a', 'b') as [Scope, Scope];
    const line = leaf.line('window');
    line.set(100);
    await leaf.close();
    line.set(200);
    line.close();
    expect(top.account.held).toBe(0);
    expect([line.bytes, line.scope]).toEqual([0, undefined]);
  });

  test('a credit that ate a line does not take the account below zero', () => {
    const [top, leaf] = chain('a', 'b') as [Scope, Scope];
    top.charge(1000);
    const line = leaf.line('window');
    line.set(100);
    leaf.credit(80);
    line.close();
    expect(figures(leaf)).toEqual([0, 0, 100, 100]);
    expect(top.account.held).toBe(1000);
  });
});

describe('meters', () => {
  test('a charged meter is a live number', () => {
    const [top, leaf] = chain('a', 'b') as [Scope, Scope];
    const meter = { bytes: 100 };
    leaf.charge(meter);
    expect(top.account.held).toBe(100);
    meter.bytes = 250;
    expect(leaf.account.own).toBe(250);
    meter.bytes = 300;
    expect(leaf.account.held).toBe(300);
    meter.bytes = 10;
    roster.settle();
    expect(top.account.held).toBe(10);
    leaf.charge(meter);
    expect(top.account.held).toBe(10);
    expect(leaf.account.lines()).toEqual([{ label: 'meter', bytes: 10 }]);
    leaf.credit(meter);
    leaf.credit(meter);
    expect(top.account.held).toBe(0);
    meter.bytes = 99;
    roster.settle();
    expect(top.account.held).toBe(0);
  });

  test('one scope may have many', async () => {
    const [leaf] = chain('b') as [Scope];
    const meters = [{ bytes: 1 }, { bytes: 2 }, { bytes: 4 }];
    for (const meter of meters) leaf.charge(meter);
    leaf.credit(meters[1] as { bytes: number });
    expect(leaf.account.own).toBe(5);
    await leaf.close();
    meters[0]!.bytes = 1000;
    roster.settle();
    expect(processScope().account.held).toBe(0);
  });

  test('a meter that throws keeps its last value and is reported', () => {
    const [leaf] = chain('b') as [Scope];
    let broken = false;
    const meter = {
      get bytes(): number {
        if (broken) throw new Error('meter is gone');
        return 64;
      },
    };
    leaf.charge(meter);
    broken = true;
    expect(leaf.account.own).toBe(64);
    expect(roster.faults.recent.at(-1)).toMatchObject({
      code: 'PLM_SCOPE_METER_FAILED',
      path: 'process/level:b',
    });
  });
});
