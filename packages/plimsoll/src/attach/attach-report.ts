import type { Frame } from '@plimsoll/host/protocol/frame';
import { partialReading } from '@plimsoll/core/internal/sense/reading';
import { composeReport, type Report } from '../run/report.ts';
import { seriesOf } from '../run/series.ts';
import type { Look } from './look.ts';
import type { AttachedSite } from './site-rows.ts';
import type { AttachedVitals } from './vitals.ts';

/** The report of a run, with the fields that only `attach` has. */
export interface AttachReport extends Report {
  readonly sites: readonly AttachedSite[];
  /** Suspects of the last snapshot when there was only one. */
  readonly suspects: NonNullable<Look['evidence']>['suspects'];
}

export function attachReport(look: Look, target: string, version: string, keep: boolean): AttachReport {
  const first = look.readings[0] as AttachedVitals;
  const last = look.readings.at(-1) as AttachedVitals;
  const report = composeReport({
    version,
    target,
    startedAt: first.at,
    endedAt: last.at,
    exit: { code: null, signal: null },
    frame: undefined,
    series: seriesOf(
      look.readings.map(({ at, heapUsed, external, rss }) => ({
        at,
        used: heapUsed,
        heapUsed,
        floor: null,
        external,
        rss,
      })),
    ),
    conclusion: {
      ...look,
      snapshots: look.captures.map(({ at, stopMs, file }) => ({ at, stopMs, kept: keep ? file : null })),
      analysisMs: look.evidence?.ms ?? 0,
      suspectedAt: null,
      floors: look.readings.map((each) => each.heapUsed),
      scopes: look.evidence?.scopes ?? [],
      processes: [],
    },
  });
  return {
    ...report,
    readings: {
      ...report.readings,
      last: readingOf(last),
      peakUsedBytes: Math.max(...look.readings.map((each) => each.heapUsed)),
      peakRssBytes: Math.max(...look.readings.map((each) => each.rss)),
    },
    limits: { bytes: last.heapLimit, source: 'v8-heap', text: 'heap_size_limit of V8' },
    sites: look.sites,
    suspects: look.evidence?.suspects ?? [],
  };
}

function readingOf(vitals: AttachedVitals): Frame['reading'] {
  const { at, heapUsed, external, arrayBuffers, rss, heapLimit } = vitals;
  return partialReading({ at, used: heapUsed, limit: heapLimit, heapUsed, external, arrayBuffers, rss });
}
