import { expect, it } from 'vitest';
import { findingOf, type Claim } from '../findings/finding-book.ts';
import { SurvivorClaims } from './survivor-claims.ts';
import type { SurvivorGroup } from './survivors.ts';

const MiB = 1024 ** 2;
const hourMs = 3_600_000;
const room = { bytes: 1000 * MiB, usedRatio: 0.2 };
const group = (alive: number): SurvivorGroup => ({
  fingerprint: 'f',
  kind: 'session',
  label: 'state',
  example: 'process/session:1',
  alive,
  closedAt: 5,
  state: 'confirmed',
});

/** Ten survivors at first, fifty an hour later, weighed by one that a snapshot showed. */
function weighed(bytesEach: number, usedRatio = 0.2, overMs = hourMs): ReturnType<SurvivorClaims['weigh']> {
  const claims = new SurvivorClaims();
  claims.claimOf(group(10), 0, room);
  const claim = claims.claimOf(group(50), overMs, room) as Claim;
  return claims.weigh(findingOf(claim, overMs), bytesEach, { ...room, usedRatio });
}

it('claims a group once, and again when its number changes', () => {
  const claims = new SurvivorClaims();
  expect(claims.claimOf(group(3), 9, room)).toMatchObject({
    kind: 'survivor',
    severity: 'medium',
    times: 3,
    firstSeen: 5,
    subject: '"state" of the closed session',
  });
  expect(claims.claimOf(group(3), 10, room)).toBeUndefined();
  expect(claims.claimOf(group(4), 11, room)?.times).toBe(4);
});

it('weighs all of them by the one that was measured, and forecasts the limit by their pace', () => {
  const finding = weighed(100 * 1024);
  expect(finding).toMatchObject({ bytes: 5_120_000, rate: 4_096_000, severity: 'medium' });
  expect(finding.exhaustsIn?.ms).toBeCloseTo(10.67 * 24 * hourMs, -7);
});

it('is graver the sooner they meet the limit, never below medium', () => {
  expect(weighed(MiB).severity).toBe('high');
  expect(weighed(20 * MiB).severity).toBe('critical');
  expect(weighed(10).severity).toBe('medium');
  expect(weighed(100 * 1024, 0.95).severity).toBe('critical');
});

it('forecasts nothing from a moment', () => {
  const finding = weighed(100 * 1024, 0.2, 1000);
  expect(finding).toMatchObject({ bytes: 5_120_000, severity: 'medium' });
  expect(finding.exhaustsIn).toBeUndefined();
});
