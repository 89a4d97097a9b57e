import { setImmediate as turn } from 'node:timers/promises';
import { failure } from '@plimsoll/core/internal/errors';
import { PlimsollWatched } from '@plimsoll/core/internal/scope/watch-list';
import { cureOf } from '@plimsoll/leak/internal/proof/cure';
import { runAnalysis } from '@plimsoll/leak/internal/proof/analysis-process';
import { takeSnapshot } from '@plimsoll/leak/internal/proof/capture';
import type { WatchedTrace } from '@plimsoll/leak/internal/proof/watched-trace';
import { liveBytes } from '../engine/live-bytes.ts';
import { settle } from '../engine/settle.ts';
import { oneAtATime } from '../engine/turnstile.ts';
import { checkWork, dirOf, nameOf } from '../options.ts';
import { mostLines, pathLines, snapshotsText } from '../report/failure-text.ts';
import { callerPlace, LeakError } from '../report/leak-error.ts';
import { withoutKit } from '../report/kit-file.ts';
import { snapshotFolder } from '../report/snapshot-folder.ts';

/** The objects that are still reachable, and the holder of the first one. */
interface SurvivorReport {
  readonly watched: number;
  /** The labels of those that are still reachable. */
  readonly survivors: readonly string[];
  readonly trace: WatchedTrace['trace'] | undefined;
  readonly fingerprint: string | undefined;
  readonly snapshot: string | undefined;
  readonly fix: string;
}

export interface WatchOptions {
  /** Folder for the snapshot of a failure; default `.plimsoll`. */
  readonly dir?: string;
}

/** Checks before an object counts as a survivor. Finalizers, sockets and timers of a few ms release their objects within these. */
const looks = 8;

let watches = 0;

/** Follows objects that must be collected. It does not retain them. Each has a token that is attached weakly. */
export class Watch {
  readonly #tokens = new WeakMap<object, PlimsollWatched>();
  readonly #watched: { readonly label: string; readonly token: WeakRef<PlimsollWatched> }[] = [];
  readonly #path = `process/watch:${++watches}`;
  readonly #dir: string;

  constructor(options: WatchOptions = {}) {
    this.#dir = dirOf(options.dir);
  }

  /** Objects that were added. */
  get size(): number {
    return this.#watched.length;
  }

  /** Watches an object and returns it. The label is its name in a failure; default its class. */
  add<T extends object>(object: T, label: string = classOf(object)): T {
    const token = new PlimsollWatched(label, this.#path, this.#tokens.get(object));
    this.#tokens.set(object, token);
    this.#watched.push({ label, token: new WeakRef(token) });
    return object;
  }

  /** Labels of the objects that are still reachable after several collections. */
  async survivors(): Promise<readonly string[]> {
    for (let i = 0; i < looks; i++) {
      // A WeakRef that was read holds its target until the end of the turn.
      await turn();
      await settle(2);
      if (this.#left().length === 0) return [];
    }
    return this.#left();
  }

  /** Throws a LeakError with the retaining path when an object is still reachable. */
  async collected(): Promise<void> {
    const where = callerPlace();
    await oneAtATime('a watch', async () => {
      const survivors = await this.survivors();
      if (survivors.length > 0) throw survivorError(await this.#report(survivors), where);
    });
  }

  #left(): readonly string[] {
    return this.#watched.filter(({ token }) => token.deref() !== undefined).map(({ label }) => label);
  }

  async #report(survivors: readonly string[]): Promise<SurvivorReport> {
    const dir = snapshotFolder(this.#dir, 'watch');
    const { capture } = takeSnapshot({
      dir,
      name: 'survivors',
      maxStopMs: Number.POSITIVE_INFINITY,
      heapBytes: liveBytes().heap,
    });
    const analysis =
      capture === null
        ? undefined
        : await runAnalysis(capture, null, { survived: [{ scope: this.#path, firstSeen: 0 }] });
    const found = analysis?.watched[0];
    const trace = found === undefined ? undefined : withoutKit(found.trace);
    return {
      watched: this.size,
      survivors,
      trace,
      fingerprint: found?.fingerprint,
      snapshot: capture?.file,
      fix:
        trace === undefined ? 'look with plimsoll analyze who retains it; no path was found.' : cureOf(trace),
    };
  }
}

/** A new watch: `watch.add(object)` for objects that must be gone, then `await watch.collected()`. */
export function watch(options?: WatchOptions): Watch {
  return new Watch(options);
}

/** Calls a function in a frame of its own, keeps only a weak token of its result, and throws when the result is still reachable. */
export async function isCollected(
  work: () => unknown,
  options: WatchOptions & { readonly label?: string } = {},
): Promise<void> {
  checkWork(work);
  const watched = new Watch(options);
  await watchResult(watched, work, options.label);
  return watched.collected();
}

/** Only this frame holds the result. */
async function watchResult(watched: Watch, work: () => unknown, label: string | undefined): Promise<void> {
  const result: unknown = await work();
  if ((typeof result !== 'object' && typeof result !== 'function') || result === null)
    throw failure('PLM_TESTKIT_OPTION', {
      option: `the result of ${nameOf(work)}`,
      value: result === null ? 'null' : typeof result,
      accepted: 'the object that must be collected',
    });
  watched.add(result, label);
}

function survivorError(report: SurvivorReport, where: string): LeakError<SurvivorReport> {
  const { watched, survivors, trace, fingerprint, snapshot, fix } = report;
  const labels = [...new Set(survivors)];
  const names = `${labels.slice(0, 3).join(', ')}${labels.length > 3 ? ', …' : ''}`;
  const survived = `${survivors.length} of ${watched} watched objects (${names}) ${survivors.length === 1 ? 'is' : 'are'} still reachable`;
  const body = [
    ...(trace === undefined
      ? []
      : [`held by   fingerprint ${fingerprint}`, ...pathLines(trace, mostLines - 6)]),
    ...(snapshot === undefined ? [] : [`open      plimsoll analyze ${snapshotsText([snapshot])}`]),
  ];
  return new LeakError(failure('PLM_LEAK_SURVIVOR', { survived, where, fix }), body, report);
}

function classOf(object: object): string {
  const { constructor } = object as { constructor?: { name?: unknown } };
  return typeof constructor?.name === 'string' && constructor.name !== '' ? constructor.name : 'object';
}
