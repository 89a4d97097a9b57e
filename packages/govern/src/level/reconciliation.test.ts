import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Reconciliation } from './reconciliation.ts';

test('charges that fit into what is alive count as they are; the rest belongs to nobody', () => {
  const reconciliation = new Reconciliation();
  expect([reconciliation.factor, reconciliation.unattributedBytes]).toEqual([1, undefined]);
  reconciliation.note({ liveBytes: 100, walkedBytes: 30, chargedBytes: 50 });
  expect([reconciliation.factor, reconciliation.unattributedBytes]).toEqual([1, 20]);
});

test('charges above what is alive are re-based, down to a tenth', () => {
  const reconciliation = new Reconciliation();
  reconciliation.note({ liveBytes: 100, walkedBytes: 40, chargedBytes: 120 });
  expect([reconciliation.factor, reconciliation.unattributedBytes]).toEqual([0.5, 0]);
  reconciliation.note({ liveBytes: 100, walkedBytes: 100, chargedBytes: 120 });
  expect(reconciliation.factor).toBe(0.1);
  reconciliation.note({ liveBytes: 400, walkedBytes: 40, chargedBytes: 120 });
  expect([reconciliation.factor, reconciliation.unattributedBytes]).toEqual([1, 240]);
});

test('what scopes hold and what nobody holds never exceeds what is alive by more than the bound explains', () => {
  const bytes = fc.nat(1_000_000);
  fc.assert(
    fc.property(bytes, bytes, bytes, (liveBytes, walkedBytes, chargedBytes) => {
      const reconciliation = new Reconciliation();
      reconciliation.note({ liveBytes, walkedBytes, chargedBytes });
      const { factor } = reconciliation;
      expect(factor).toBeGreaterThanOrEqual(0.1);
      expect(factor).toBeLessThanOrEqual(1);
      const unattributed = reconciliation.unattributedBytes as number;
      expect(unattributed).toBeGreaterThanOrEqual(0);
      const all = walkedBytes + factor * chargedBytes + unattributed;
      if (factor > 0.1 && walkedBytes <= liveBytes) expect(all).toBeCloseTo(liveBytes, 3);
    }),
  );
});
