import fc from 'fast-check';
import { expect, test } from 'vitest';
import { open, processScope, roster } from './index.ts';
import type { AccountLine } from './account.ts';
import type { Scope } from './scope.ts';

/** One step on a random tree; numbers pick among what exists at that time. */
type Step =
  | { readonly do: 'open' | 'close'; readonly at: number }
  | { readonly do: 'charge' | 'credit' | 'line' | 'meter'; readonly at: number; readonly bytes: number };

const pick = fc.nat({ max: 1000 });
const bytes = fc.oneof(fc.nat({ max: 100_000 }), fc.integer({ min: 2 ** 31, max: 2 ** 40 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('open' as const), at: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), at: pick }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('charge' as const, 'credit' as const, 'line' as const, 'meter' as const),
      at: pick,
      bytes,
    }),
  },
);

interface Model {
  readonly scope: Scope;
  readonly parent: Model | undefined;
  readonly line: AccountLine;
  readonly meter: { bytes: number };
  plain: number;
  lineBytes: number;
  peak: number;
  charged: number;
}

test('on any tree, what is held is the sum of what is owned below, and all is zero in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 80 }), async (steps) => {
      const root = model(open('root', 'r'), undefined);
      let models = [root];
      for (const { do: verb, at, ...rest } of steps) {
        const target = models[at % models.length] as Model;
        const amount = 'bytes' in rest ? rest.bytes : 0;
        if (verb === 'open') models.push(model(open('node', `${at}`, { parent: target.scope }), target));
        else if (verb === 'close') {
          if (target === root) continue;
          await target.scope.close();
          models = models.filter(({ scope }) => scope.state === 'open');
        } else apply(target, verb, amount);
        note(models);
        check(models);
      }
      await root.scope.close();
      expect(roster.count).toBe(1);
      expect(processScope().account.held).toBe(0);
      for (const { scope } of models) expect([scope.account.own, scope.account.held]).toEqual([0, 0]);
    }),
    { numRuns: 200 },
  );
});

function model(scope: Scope, parent: Model | undefined): Model {
  const meter = { bytes: 0 };
  scope.charge(meter);
  return { scope, parent, line: scope.line('line'), meter, plain: 0, lineBytes: 0, peak: 0, charged: 0 };
}

function apply(target: Model, verb: 'charge' | 'credit' | 'line' | 'meter', amount: number): void {
  let before = 0;
  let after = amount;
  if (verb === 'charge') {
    target.scope.charge(amount);
    target.plain += amount;
  } else if (verb === 'credit') {
    // Crediting what a line or meter holds is a fault with a test of its own.
    after = 0;
    const given = Math.min(amount, target.plain);
    target.scope.credit(given);
    target.plain -= given;
  } else if (verb === 'line') {
    before = target.lineBytes;
    target.line.set(amount);
    target.lineBytes = amount;
  } else {
    before = target.meter.bytes;
    target.meter.bytes = amount;
    roster.settle();
  }
  if (after <= before) return;
  for (let at: Model | undefined = target; at !== undefined; at = at.parent) at.charged += after - before;
}

const ownOf = ({ plain, lineBytes, meter }: Model): number => plain + lineBytes + meter.bytes;

function heldOf(target: Model, models: readonly Model[]): number {
  let held = ownOf(target);
  for (const child of models) if (child.parent === target) held += heldOf(child, models);
  return held;
}

function note(models: readonly Model[]): void {
  for (const target of models) target.peak = Math.max(target.peak, heldOf(target, models));
}

function check(models: readonly Model[]): void {
  let sum = 0;
  for (const target of models) {
    const { own, held, peak, charged } = target.scope.account;
    expect({ own, held, peak, charged }).toEqual({
      own: ownOf(target),
      held: heldOf(target, models),
      peak: target.peak,
      charged: target.charged,
    });
    sum += own;
  }
  expect(processScope().account.held).toBe(sum);
}
