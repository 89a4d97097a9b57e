import { describe, expect, it } from 'vitest';
import { partialReading, type Reading } from '@plimsoll/core/internal/sense/reading';
import { LongRun, ReadingFeed } from './long-run.ts';
import type { FloorEvent, VitalSample } from './waterline/waterline.ts';

class Recorder extends LongRun {
  readonly floors: FloorEvent[] = [];
  readonly samples: VitalSample[] = [];
  override floor(event: FloorEvent): void {
    this.floors.push(event);
    super.floor(event);
  }
  override sample(sample: VitalSample): void {
    this.samples.push(sample);
    super.sample(sample);
  }
}

const reading = (majors: number, floor?: number): Reading =>
  partialReading({
    at: 5000,
    heapUsed: 90,
    ...(floor !== undefined && { floor, floorAgeMs: 300 }),
    majors,
    external: 7,
    arrayBuffers: 3,
    rss: 200,
    limit: 1000,
    used: 90,
    loopDelayMs: 1,
    loopUtilization: 0.25,
    scopes: 4,
  });

describe('ReadingFeed', () => {
  it('passes each floor once and the rest once a minute', () => {
    const detector = new Recorder({ budgetBytes: 1e9 });
    let uptimeMs = 1000;
    const feed = new ReadingFeed(detector, {
      requests: () => 11,
      attributedBytes: () => 5,
      heapTotalBytes: () => 120,
      uptimeMs: () => uptimeMs,
    });
    feed.take(reading(0));
    for (let second = 0; second < 60; second++) {
      uptimeMs += 1000;
      feed.take(reading(second < 30 ? 1 : 2, second < 30 ? 50 : 60));
    }
    expect(detector.floors).toEqual([
      { uptimeMs: 1700, floorBytes: 50, load: 4, requests: 11, attributedBytes: 5 },
      { uptimeMs: 31_700, floorBytes: 60, load: 4, requests: 11, attributedBytes: 5 },
    ]);
    expect(detector.samples.map((sample) => sample.uptimeMs)).toEqual([1000, 61_000]);
    expect(detector.samples[0]).toEqual({
      uptimeMs: 1000,
      heapTotalBytes: 120,
      externalBytes: 7,
      rssBytes: 200,
      load: 4,
      requests: 11,
    });
  });

  it('asks Node for what it is not given', () => {
    const detector = new Recorder({ budgetBytes: 1e9 });
    new ReadingFeed(detector, { requests: () => 1 }).take(reading(1, 50));
    expect(detector.floors[0]?.attributedBytes).toBe(0);
    expect(detector.samples[0]?.heapTotalBytes).toBeGreaterThan(1e6);
    expect(detector.samples[0]?.uptimeMs).toBeGreaterThan(0);
  });
});
