import v8 from 'node:v8';
import { formatByteSize } from '@plimsoll/core/units';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { conformalBand } from './forecast.ts';
import type { Forecast } from './forecast.ts';
import { growthFingerprint } from './verdict.ts';
import type { Channel, ChannelVerdict, Judge, Verdict } from './verdict.ts';
import type { ChannelState } from './waterline/channel.ts';
import { Waterline } from './waterline/waterline.ts';
import type { FloorEvent, HistoryCurve, VitalSample } from './waterline/waterline.ts';

interface LongRunOptions {
  /** Bytes that live heap, external and native growth together may reach. */
  readonly budgetBytes: number;
  /** Floor by uptime in earlier runs, from the ledger. */
  readonly history?: HistoryCurve;
}

/** Confirmed growth of one channel, as far as a finding needs it. */
export interface GrowthFact {
  readonly channel: Channel;
  /** Group key; the same across restarts. */
  readonly fingerprint: string;
  readonly bytes: number;
  readonly bytesPerHour: number;
  readonly forecast: Forecast | undefined;
  /** Tests run so far: the same number means that nothing new is known. */
  readonly tests: number;
}

const verdictOf: Readonly<Record<ChannelState, Verdict>> = {
  none: 'clean',
  suspect: 'undecided',
  confirmed: 'leak',
};
const sourceOf: Readonly<Record<Channel, Forecast['source']>> = {
  heap: 'heap',
  external: 'external',
  native: 'native',
  population: 'heap',
};

/**
 * The judge of long runs: hours and days, with the load and the time of day. It has no clock, starts nothing and never throws on a bad
 * sample. Feed it every floor and a sample about once a minute, in order.
 */
export class LongRun implements Judge {
  readonly waterline: Waterline;

  constructor(options: LongRunOptions) {
    this.waterline = new Waterline(options);
  }

  get verdicts(): readonly ChannelVerdict[] {
    return this.#channels().map((channel) => {
      const state = this.waterline.stateOf(channel);
      const growthBytes = channel.verdict.growth;
      const grew = `grew by ${formatByteSize(Math.max(0, growthBytes))}`;
      return {
        channel: channel.name,
        verdict: verdictOf[state],
        reason: state === 'none' ? 'does not grow beyond load and noise' : `${grew}, load taken out`,
        growthBytes,
      };
    });
  }

  /** Channels that look like growth or are confirmed as growing, with the fingerprint of the finding that each would be. */
  get growing(): readonly (ChannelVerdict & { readonly fingerprint: string })[] {
    return this.verdicts
      .filter(({ verdict }) => verdict !== 'clean')
      .map((each) => ({ ...each, fingerprint: growthFingerprint(each.channel) }));
  }

  get isLeaking(): boolean {
    return this.waterline.state === 'confirmed';
  }

  /** The confirmed growth that meets the limit first; `at` is the wall time of the question. */
  growth(at: number): GrowthFact | undefined {
    const growth = this.waterline.growth();
    if (growth === undefined) return undefined;
    const { channel, growthBytes, bytesPerHour, tte } = growth;
    const ms = tte * 1000;
    const forecast: Forecast | undefined = Number.isFinite(tte)
      ? {
          ms,
          low: conformalBand.low * ms,
          high: conformalBand.high * ms,
          bytesPerHour: Math.round(bytesPerHour),
          source: sourceOf[channel.name],
          at,
        }
      : undefined;
    const fingerprint = growthFingerprint(channel.name);
    return {
      channel: channel.name,
      fingerprint,
      bytes: growthBytes,
      bytesPerHour,
      forecast,
      tests: channel.tests,
    };
  }

  /** Takes the curve of earlier runs, before the first look at this one. */
  learn(history: HistoryCurve): void {
    this.waterline.learn(history);
  }

  /** Takes the floor of a major GC. */
  floor(event: FloorEvent): void {
    this.waterline.floor(event);
  }

  /** Takes a sample of everything that is not the floor. */
  sample(sample: VitalSample): void {
    this.waterline.sample(sample);
  }

  #channels(): readonly Waterline['heap'][] {
    const { heap, external, native, population } = this.waterline;
    return [heap, external, native, population];
  }
}

/** What a reading does not say and the long run wants to know; each is asked once a minute. */
interface ProcessFacts {
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

/** Feeds a long run from readings: every new floor at once, everything else once a minute. */
export class ReadingFeed {
  readonly #run: Pick<LongRun, 'floor' | 'sample'>;
  readonly #facts: Required<ProcessFacts>;
  #majors = 0;
  #dueMs = 0;

  constructor(run: Pick<LongRun, 'floor' | 'sample'>, facts: ProcessFacts) {
    this.#run = run;
    this.#facts = {
      requests: facts.requests,
      attributedBytes: facts.attributedBytes ?? (() => 0),
      heapTotalBytes: facts.heapTotalBytes ?? (() => v8.getHeapStatistics().total_heap_size),
      uptimeMs: facts.uptimeMs ?? (() => performance.now()),
    };
  }

  /** Takes a reading; true when the minute was up and a sample was passed on. */
  take(reading: Reading): boolean {
    const facts = this.#facts;
    const uptimeMs = facts.uptimeMs();
    const isNewFloor = reading.floor !== undefined && reading.majors !== this.#majors;
    if (!isNewFloor && uptimeMs < this.#dueMs) return false;
    const requests = facts.requests();
    if (isNewFloor) {
      this.#majors = reading.majors;
      this.#run.floor({
        uptimeMs: uptimeMs - (reading.floorAgeMs ?? 0),
        floorBytes: reading.floor ?? Number.NaN,
        load: reading.scopes,
        requests,
        attributedBytes: facts.attributedBytes(),
      });
    }
    if (uptimeMs < this.#dueMs) return false;
    this.#dueMs = uptimeMs + minuteMs;
    this.#run.sample({
      uptimeMs,
      heapTotalBytes: facts.heapTotalBytes(),
      externalBytes: reading.external,
      rssBytes: reading.rss,
      load: reading.scopes,
      requests,
    });
    return true;
  }
}
