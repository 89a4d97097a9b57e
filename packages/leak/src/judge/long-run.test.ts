import { channel } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { Detector, growthFingerprint } from './long-run.ts';
import type { Finding } from '../findings/finding.ts';
import { healthy, leaking, live, MB } from './memory-life.fixture.ts';

const budgetBytes = 900 * MB;

describe('a healthy process', () => {
  it.each(Object.entries(healthy))('%s is silent', (_name, options) => {
    for (const seed of [1, 2, 3]) {
      const detector = new Detector({ budgetBytes });
      live(detector, { seed, ...options }, () => detector.isLeaking);
      expect(detector.findings).toEqual([]);
    }
  });
});

describe('a leaking process', () => {
  it.each(Object.entries(leaking))('%s is found in its channel', (_name, { channel: name, ...options }) => {
    for (const seed of [1, 2, 3]) {
      const detector = new Detector({ budgetBytes });
      live(detector, { seed, ...options }, () => detector.isLeaking);
      expect(detector.findings.map(({ kind, fingerprint }) => [kind, fingerprint])).toEqual([
        ['growth', growthFingerprint(name as 'heap')],
      ]);
    }
  });

  it('is found when a small part of the room is gone', () => {
    const detector = new Detector({ budgetBytes });
    const end = live(detector, { ...leaking['from the second day'], hours: 72 }, () => detector.isLeaking);
    expect(end).toBeGreaterThan(24);
    expect((3 * (end - 24)) / 700).toBeLessThan(0.03);
  });

  it('is told sooner the surer it is', () => {
    const hoursUntilFound = (wander: number): number => {
      const detector = new Detector({ budgetBytes });
      const grow = (h: number): number => 3 * Math.max(0, h - 24);
      return live(detector, { grow, wander, hours: 96 }, () => detector.isLeaking) - 24;
    };
    expect(hoursUntilFound(0.002)).toBeLessThan(0.7 * hoursUntilFound(0.02));
  });

  it('is foreseen to meet the limit at a peak of the load', () => {
    const detector = new Detector({ budgetBytes: 700 * MB });
    // 200 at rest, 150 more at noon: 350 left for 3 an hour from the first hour on, so that a peak meets the limit 117 hours later.
    const load = (h: number): number => 100 - 50 * Math.cos((2 * Math.PI * h) / 24);
    const end = live(detector, { grow: (h) => 3 * h, load, perLoad: 1, hours: 96 }, () => detector.isLeaking);
    const ms = detector.exhaustsIn?.ms ?? 0;
    expect(end + ms / 3_600_000).toBeGreaterThan(96);
    expect(end + ms / 3_600_000).toBeLessThan(140);
  });

  it('is foreseen still when nothing is left', () => {
    const detector = new Detector({ budgetBytes: 240 * MB });
    live(detector, { growExternal: (h) => 2 * Math.max(0, h - 10), hours: 60 });
    expect(detector.isLeaking).toBe(true);
    expect(detector.exhaustsIn?.ms).toBeGreaterThan(0);
    expect(detector.exhaustsIn?.ms).toBeLessThan(3 * 3_600_000);
  });

  it('tells rate, forecast and fix', () => {
    const detector = new Detector({ budgetBytes });
    live(detector, { ...leaking['from the start'] });
    const [finding] = detector.findings as [Finding];
    expect(finding.rate).toBeGreaterThan(2.5 * MB);
    expect(finding.rate).toBeLessThan(3.5 * MB);
    // 900 - 200 - 48 h at 3 MB/h leave 185 h.
    expect(finding.exhaustsIn?.ms).toBeGreaterThan(150 * 3_600_000);
    expect(finding.exhaustsIn?.ms).toBeLessThan(220 * 3_600_000);
    expect(finding.exhaustsIn?.low).toBeLessThan(finding.exhaustsIn?.ms ?? 0);
    expect({
      ...finding,
      bytes: 0,
      rate: 0,
      exhaustsIn: undefined,
      firstSeen: 0,
      lastSeen: 0,
    }).toMatchInlineSnapshot(`
      {
        "bytes": 0,
        "count": 1,
        "exhaustsIn": undefined,
        "fingerprint": "dc7feb7c421bd59d",
        "firstSeen": 0,
        "fix": "take two snapshots an hour apart and compare them (plimsoll diff): the constructor whose count rises is what is kept.",
        "id": "F-e6ab3c",
        "kind": "growth",
        "lastSeen": 0,
        "rate": 0,
        "scope": "process",
        "severity": "low",
      }
    `);
  });

  it('becomes graver as the limit comes near', () => {
    const seen: string[] = [];
    const listener = (message: unknown): void => void seen.push((message as Finding).severity);
    channel('plimsoll:finding').subscribe(listener);
    const detector = new Detector({ budgetBytes: 420 * MB });
    live(detector, { grow: (h) => 4 * h, hours: 52 });
    channel('plimsoll:finding').unsubscribe(listener);
    expect(seen).toMatchInlineSnapshot(`
      [
        "medium",
        "high",
        "critical",
      ]
    `);
  });

  it('is withdrawn when the growth ends, and the finding stays', () => {
    const detector = new Detector({ budgetBytes });
    live(detector, { grow: (h) => 4 * Math.min(30, h), hours: 160 });
    expect(detector.isLeaking).toBe(false);
    expect(detector.state).toBe('none');
    expect(detector.findings).toHaveLength(1);
  });
});

describe('two tiers', () => {
  it('suspects before it confirms, and a suspicion is no finding', () => {
    const detector = new Detector({ budgetBytes });
    let suspected = Number.NaN;
    const confirmed = live(detector, { ...leaking['from the start'] }, (h) => {
      if (detector.suspicions.length > 0 && Number.isNaN(suspected)) {
        suspected = h;
        expect(detector.suspicions).toEqual([{ kind: 'growth', subject: 'heap' }]);
        expect(detector.state).toBe('suspect');
        expect(detector.findings).toEqual([]);
      }
      return detector.isLeaking;
    });
    expect(suspected).toBeLessThan(confirmed);
  });

  it('takes a standing number of survivors for a finding', () => {
    const detector = new Detector({ budgetBytes });
    const end = live(
      detector,
      { survivors: (h) => (h > 5 ? Math.floor(10 * (h - 5)) : 0), hours: 8 },
      () => detector.isLeaking,
    );
    expect(end).toBeGreaterThan(5);
    expect(end).toBeLessThan(5.5);
    expect(detector.findings).toMatchObject([{ kind: 'survivor', severity: 'medium' }]);
  });

  it('raises survivors with the growth', () => {
    const detector = new Detector({ budgetBytes: 300 * MB });
    live(detector, { survivors: (h) => Math.floor(h), grow: (h) => 4 * h, hours: 24 });
    expect(detector.findings.map(({ kind, severity }) => `${kind} ${severity}`)).toMatchInlineSnapshot(`
      [
        "survivor critical",
        "growth critical",
      ]
    `);
  });
});

describe('what earlier runs tell', () => {
  const fill = (h: number): number => 40 * Math.min(20, h);

  it('excuses growth that every run has shown', () => {
    const history = Array.from({ length: 100 }, (_, h) => ({
      uptimeMs: h * 3_600_000,
      floorBytes: (200 + fill(h)) * MB,
    }));
    const without = new Detector({ budgetBytes: 3000 * MB });
    live(without, { grow: fill }, () => without.isLeaking);
    const knowing = new Detector({ budgetBytes: 3000 * MB, history });
    live(knowing, { grow: fill });
    expect(without.findings).toHaveLength(1);
    expect(without.growing).toMatchObject([
      { channel: 'heap', fingerprint: without.findings[0]?.fingerprint },
    ]);
    expect(knowing.findings).toEqual([]);
    expect(knowing.growing).toEqual([]);
    const learning = new Detector({ budgetBytes: 3000 * MB });
    learning.learn(history);
    live(learning, { grow: fill });
    expect(learning.findings).toEqual([]);
    const late = new Detector({ budgetBytes: 3000 * MB });
    late.floor({ uptimeMs: 2e6, floorBytes: 200 * MB, load: 0, requests: 0, attributedBytes: 0 });
    late.learn(history);
    live(late, { grow: fill });
    expect(late.findings).toHaveLength(1);
  });

  it('keeps id, first date and count of a known finding', () => {
    const first = new Detector({ budgetBytes });
    live(first, { ...leaking['from the start'] }, () => first.isLeaking);
    const known = first.findings;
    const second = new Detector({ budgetBytes, known });
    live(second, { ...leaking['from the start'], seed: 9 }, () => second.isLeaking);
    expect(second.findings).toHaveLength(1);
    expect(second.findings[0]).toMatchObject({ id: known[0]?.id, firstSeen: known[0]?.firstSeen, count: 2 });
  });
});

describe('input', () => {
  it('survives what is not a number and time that stands still', () => {
    const detector = new Detector({ budgetBytes });
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, -1];
    for (const bad of odd) {
      detector.floor({ uptimeMs: 4e6, floorBytes: bad, load: bad, requests: bad, attributedBytes: bad });
      detector.sample({
        at: 0,
        uptimeMs: 4e6,
        heapTotalBytes: bad,
        externalBytes: bad,
        rssBytes: bad,
        load: bad,
        requests: bad,
        survivors: bad,
      });
    }
    live(detector, { hours: 24 });
    expect(detector.state).toBe('none');
  });

  it('gives the same answer to the same life', () => {
    const once = (): readonly Finding[] => {
      const detector = new Detector({ budgetBytes });
      live(detector, { ...leaking['in bursts'], seed: 4 });
      return detector.findings;
    };
    expect(once()).toEqual(once());
  });
});
