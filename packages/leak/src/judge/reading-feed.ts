import v8 from 'node:v8';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Detector } from './long-run.ts';

/** What a reading does not say and the detector wants to know; each is asked once a minute. */
export interface ProcessFacts {
  /** Requests ever begun, e.g. scopes ever opened. */
  readonly requests: () => number;
  /** Bytes that registered keepers account for; default 0. */
  readonly attributedBytes?: () => number;
  /** Bytes V8 has committed for the heap; default from `v8.getHeapStatistics()`. */
  readonly heapTotalBytes?: () => number;
  /** Ms since the process began; default `performance.now()`, which no clock change moves. */
  readonly uptimeMs?: () => number;
}

const minuteMs = 60_000;

/** Feeds a detector from readings: every new floor at once, everything else once a minute. */
export class ReadingFeed {
  private readonly detector: Detector;
  private readonly facts: Required<ProcessFacts>;
  private majors = 0;
  private dueMs = 0;

  constructor(detector: Detector, facts: ProcessFacts) {
    this.detector = detector;
    this.facts = {
      requests: facts.requests,
      attributedBytes: facts.attributedBytes ?? (() => 0),
      heapTotalBytes: facts.heapTotalBytes ?? (() => v8.getHeapStatistics().total_heap_size),
      uptimeMs: facts.uptimeMs ?? (() => performance.now()),
    };
  }

  /** Takes a reading; meant as a listener of the sampler. */
  take(reading: Reading): void {
    const { facts } = this;
    const uptimeMs = facts.uptimeMs();
    const isNewFloor = reading.floor !== undefined && reading.majors !== this.majors;
    if (!isNewFloor && uptimeMs < this.dueMs) return;
    const requests = facts.requests();
    if (isNewFloor) {
      this.majors = reading.majors;
      this.detector.floor({
        uptimeMs: uptimeMs - (reading.floorAgeMs ?? 0),
        floorBytes: reading.floor ?? Number.NaN,
        load: reading.scopes,
        requests,
        attributedBytes: facts.attributedBytes(),
      });
    }
    if (uptimeMs < this.dueMs) return;
    this.dueMs = uptimeMs + minuteMs;
    this.detector.sample({
      at: reading.at,
      uptimeMs,
      heapTotalBytes: facts.heapTotalBytes(),
      externalBytes: reading.external,
      rssBytes: reading.rss,
      load: reading.scopes,
      requests,
      loop: { loopUtilization: reading.loopUtilization, heapBytes: reading.heapUsed },
    });
  }
}
