import { channel } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { FindingBook, findingOf } from './finding-book.ts';
import type { Claim } from './finding-book.ts';
import type { Finding } from './finding.ts';

const claim = (fingerprint: string, more: Partial<Claim> = {}): Claim => ({
  kind: 'growth',
  severity: 'low',
  scope: 'process',
  fingerprint,
  bytes: 1,
  fix: 'fix it.',
  ...more,
});

it('makes a finding of a claim where no book is kept', () => {
  const found = findingOf(claim('a', { times: 3 }), 10);
  expect(found).toEqual({ ...new FindingBook().enter(claim('a', { times: 3 }), 10) });
  expect(findingOf(claim('b'), 10).count).toBe(1);
});

describe('FindingBook', () => {
  it('keeps one finding per fingerprint with a count and both dates', () => {
    const book = new FindingBook();
    const first = book.enter(claim('a'), 10);
    book.enter(claim('b'), 20);
    const again = book.enter(claim('a', { bytes: 5 }), 30);
    expect(again).toEqual({ ...first, bytes: 5, lastSeen: 30, count: 2 });
    expect(book.findings).toHaveLength(2);
    expect(book.get('a')?.id).not.toBe(book.get('b')?.id);
  });

  it('does not count the same occurrence told again, and lets its severity only rise', () => {
    const book = new FindingBook();
    book.enter(claim('a', { severity: 'high' }), 10);
    expect(book.enter(claim('a', { severity: 'medium' }), 20, false)).toMatchObject({
      count: 1,
      severity: 'high',
    });
    expect(book.enter(claim('a', { severity: 'critical' }), 30, false)).toMatchObject({
      count: 1,
      severity: 'critical',
    });
    expect(book.enter(claim('a', { severity: 'low' }), 40)).toMatchObject({ count: 2, severity: 'critical' });
    const part = claim('a', { severity: 'info', isPart: true });
    expect(book.enter(part, 50, false)).toMatchObject({ count: 2, severity: 'info' });
  });

  it('counts what came at once', () => {
    const book = new FindingBook();
    book.enter(claim('a', { times: 7 }), 10);
    expect(book.enter(claim('a', { times: 12 }), 20, false).count).toBe(12);
    expect(book.enter(claim('a'), 30).count).toBe(13);
  });

  it('publishes what is new and what changed its severity, and nothing else', () => {
    const seen: string[] = [];
    const listener = (message: unknown): void => {
      const { fingerprint, severity } = message as Finding;
      seen.push(`${fingerprint} ${severity}`);
    };
    channel('plimsoll:finding').subscribe(listener);
    const book = new FindingBook();
    book.enter(claim('a'), 1);
    book.enter(claim('a'), 2);
    book.enter(claim('a', { severity: 'medium' }), 3);
    channel('plimsoll:finding').unsubscribe(listener);
    book.enter(claim('b'), 4);
    expect(seen).toEqual(['a low', 'a medium']);
  });

  it('keeps trace and known leak that a later claim does not bring', () => {
    const book = new FindingBook();
    const trace = [{ type: 'object', name: 'Map', via: 'sessions', leaking: 'yes', why: 'closed' }] as const;
    const knownLeak = { name: 'x', cure: 'y', link: 'z' };
    book.enter(claim('a', { trace, knownLeak }), 1);
    expect(book.enter(claim('a'), 2)).toMatchObject({ trace, knownLeak });
  });

  it('takes a finding back, tells it, and sees it come again', () => {
    const told: string[] = [];
    const book = new FindingBook(({ severity, endedAt }) => told.push(`${severity} ${endedAt ?? '-'}`));
    book.enter(claim('a', { severity: 'high', exhaustsIn: { ms: 1, low: 1, high: 1 } }), 1);
    book.takeBack('a', 5);
    book.takeBack('a', 6);
    book.takeBack('unknown', 6);
    expect(book.get('a')?.exhaustsIn).toBeUndefined();
    expect(book.enter(claim('a'), 9)).toMatchObject({ count: 2, severity: 'low', firstSeen: 1 });
    expect(told).toEqual(['high -', 'info 5', 'low -']);
  });

  it('enters what snapshots of the process showed under its own id', () => {
    const book = new FindingBook();
    const trace = [{ type: 'object', name: 'Map', via: 'sessions', leaking: 'yes', why: 'closed' }] as const;
    const { id } = book.enter(claim('a', { severity: 'medium' }), 1);
    const proved = book.take({ ...findingOf(claim('a', { trace, severity: 'medium' }), 4), id: 'other' });
    expect(proved).toMatchObject({ id, trace, count: 1, firstSeen: 1, lastSeen: 4 });
  });

  it('stays within 256 fingerprints and lets the least grave one seen longest ago go', () => {
    const book = new FindingBook();
    book.enter(claim('grave', { severity: 'high' }), 0);
    for (let i = 0; i < 300; i++) {
      book.enter(claim(`f${i}`), i);
      book.enter(claim('often'), i);
    }
    expect(book.findings).toHaveLength(256);
    expect(book.findings[0]?.fingerprint).toBe('grave');
    expect(book.get('f0')).toBeUndefined();
    expect(book.get('often')?.count).toBe(300);
  });
});
