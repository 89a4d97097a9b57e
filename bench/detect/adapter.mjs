/**
 * The shipped detector behind the interface of the series scorer: `create(meta)` gives `{ gc, sample, alarm, tte }`, sizes in MB, times
 * in seconds. Runs on plain Node 24: the sources are imported as they are, types stripped.
 */
import { Detector } from '../../packages/leak/src/judge/long-run.ts';

const MB = 1e6;

export function create(meta) {
  const detector = new Detector({ budgetBytes: meta.budget * MB });
  return {
    detector,
    gc(event) {
      detector.floor({
        uptimeMs: event.t * 1000,
        floorBytes: event.floor * MB,
        load: event.sess,
        requests: event.req,
        attributedBytes: event.expl * MB,
      });
    },
    sample(event) {
      detector.sample({
        at: event.t * 1000,
        uptimeMs: event.t * 1000,
        heapTotalBytes: event.heapTotal * MB,
        externalBytes: event.ext * MB,
        rssBytes: event.rss * MB,
        load: event.sess,
        requests: event.req,
        survivors: event.retained,
      });
    },
    get alarm() {
      return detector.isLeaking;
    },
    get tte() {
      const left = detector.exhaustsIn;
      return left === undefined ? undefined : left.ms / 1000;
    },
    /** Ends of the 90 % band, seconds. */
    get band() {
      const left = detector.exhaustsIn;
      return left === undefined ? undefined : [left.low / 1000, left.high / 1000];
    },
  };
}
