/**
 * The leak watch of a server behind the interface of the series scorer: `create(meta)` gives `{ gc, sample, alarm, tte }`, sizes in MB,
 * times in seconds. It runs on plain Node 24 from an unbuilt clone: the sources are imported with their types stripped.
 *
 * A server feeds its leak watch by readings. A floor that came since the last sample is a reading of its own, at its own time. The
 * number of survivors that a series records becomes as many closed scopes that are still alive.
 */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith('@plimsoll/')
      ? next(specifier, { ...context, conditions: ['plimsoll-source', ...context.conditions] })
      : next(specifier, context),
});
const { LeakWatch, forcedGcBudget } = await import('../../packages/leak/src/leak-watch.ts');
const { ForcedGc } = await import('../../packages/leak/src/floor/forced-gc.ts');

const MB = 1e6;
/** Major GCs that a recorded survivor has outlived. */
const outlived = 3;

/** The closed scopes of a series: as many as it says are still there. */
class Roster {
  majorGcEpoch = outlived;
  count = 1;
  opened = 0;
  #alive = [];

  set survivors(number) {
    while (this.#alive.length > number) this.#alive.pop();
    while (this.#alive.length < number) this.#alive.push(this.#closed());
  }

  #closed() {
    const id = this.#alive.length;
    const majorGcEpoch = this.majorGcEpoch - outlived;
    return {
      id,
      path: `process/session:${id}`,
      kind: 'session',
      name: String(id),
      closedAt: 0,
      majorGcEpoch,
    };
  }

  watched = () => [];
  roots = () => [];
  lingering = () => this.#alive;
  totals = () => [{ opened: this.opened }];
}

export function create(meta) {
  const limit = meta.budget * MB;
  const roster = new Roster();
  const floors = [];
  let now = 0;
  let attributedBytes = 0;
  let floor;
  let heapTotal = 0;
  let majors = 0;
  const detector = new LeakWatch({
    roster,
    budgetBytes: limit,
    attributedBytes: () => attributedBytes,
    heapTotalBytes: () => heapTotal,
    now: () => now,
    // The series says what a collection leaves alive; none is run.
    forced: new ForcedGc({ ...forcedGcBudget, collect: () => undefined, now: () => now }),
  });
  const take = (event, seconds, rest) => {
    now = seconds * 1000;
    roster.opened = event.req;
    attributedBytes = event.expl * MB;
    detector.take({
      at: now,
      heapUsed: rest.heap * MB,
      ...(floor !== undefined && { floor, floorAgeMs: 0 }),
      majors,
      external: rest.ext * MB,
      rss: rest.rss * MB,
      limit,
      used: floor ?? rest.heap * MB,
      pressures: [],
      loopUtilization: 0.5,
      scopes: event.sess,
    });
  };
  return {
    detector,
    gc(event) {
      floors.push(event);
    },
    sample(event) {
      heapTotal = event.heapTotal * MB;
      // Finalisers run after the collection, so that the number of survivors is that of the GCs before this minute.
      roster.survivors = event.retained ?? 0;
      roster.majorGcEpoch = majors + outlived;
      for (const each of floors) {
        majors++;
        floor = each.floor * MB;
        take(each, each.t, event);
      }
      floors.length = 0;
      take(event, event.t, event);
    },
    get alarm() {
      return detector.isLeaking;
    },
    get tte() {
      return detector.forecast === null ? undefined : detector.forecast.ms / 1000;
    },
    /** Ends of the 90 % band, seconds. */
    get band() {
      const { forecast } = detector;
      return forecast === null ? undefined : [forecast.low / 1000, forecast.high / 1000];
    },
  };
}
