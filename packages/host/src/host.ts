import { warnOnce } from '@plimsoll/core/internal/errors';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { makeParts, partList } from './part-list.ts';
import type { HostParts } from './part-list.ts';
import type { HostModules } from './parts/modules.ts';
import { nextTurn } from './load-in-turns.ts';
import type { Part } from './parts/part.ts';
import type { HostSettings } from './parts/settings.ts';
import type { Frame } from './protocol/frame.ts';

type PartName = keyof HostParts;

const partNames = Object.keys(partList) as PartName[];

/** Plimsoll inside one process: the parts of `part-list.ts`, started, fed with readings and stopped in their order. */
export class Host implements Disposable {
  readonly #modules: HostModules;
  readonly #made = new Map<PartName, Part | undefined>();
  readonly #parts: HostParts;
  readonly #started = new Set<PartName>();
  readonly #onExit = (code: number): void => this.#exit(code);
  #stopping: Promise<unknown> | undefined;

  constructor(settings: HostSettings, modules: HostModules) {
    this.#modules = modules;
    // This comes before the ledger is opened, so that the ledger's own exit handler runs after ours and still gets the exit entry.
    process.on('exit', this.#onExit);
    this.#parts = makeParts(
      {
        settings,
        modules,
        startedAt: Date.now(),
        take: (reading) => this.#take(reading),
        swap: (policy) => this.#swap(policy),
      },
      this.#made,
    );
  }

  /** A host with the modules that its settings need. It governs from `start` on. */
  static async load(
    settings: HostSettings,
    before?: Pick<HostModules, 'recorder' | 'audit' | 'workers' | 'link'>,
  ): Promise<Host> {
    return new Host(settings, await loadModules(settings, before));
  }

  start(): void {
    for (const name of partNames) this.#startPart(name);
    this.#modules.recorder?.hostIsLoaded();
  }

  /**
   * Like `start`, with each part in a task of its own. Together the parts take about 20 ms in a cold process, so requests are answered in
   * between. When the host is stopped meanwhile, no further part starts.
   */
  async startInTurns(): Promise<void> {
    for (const name of partNames) {
      await nextTurn();
      if (this.#stopping !== undefined) return;
      this.#startPart(name);
    }
    this.#modules.recorder?.hostIsLoaded();
  }

  /** Ends governing; the program goes on. Resolves when the ledger is on disk. */
  async stop(): Promise<void> {
    this[Symbol.dispose]();
    await this.#stopping;
  }

  [Symbol.dispose](): void {
    if (this.#stopping !== undefined) return;
    process.off('exit', this.#onExit);
    const ends: Promise<void>[] = [];
    this.#each('stop', (part) => ends.push(Promise.resolve(part.stop())), true);
    this.#stopping = Promise.allSettled(ends);
  }

  /** The newest frame; undefined before the first reading. */
  get frame(): Frame | undefined {
    return this.#parts.feed.frame;
  }

  #take(reading: Reading): void {
    this.#each('take', (part, name) => {
      if (this.#started.has(name)) part.take?.(reading);
    });
  }

  #swap(policy: Policy): void {
    this.#each('swap', (part) => part.swap?.(policy));
  }

  #exit(code: number): void {
    // The parts take this reading as any other before they are told of the exit.
    const reading = this.#parts.sensor.sampler.sample();
    this.#each('exit', (part, name) => {
      if (this.#started.has(name)) part.exit?.(code, reading);
    });
  }

  #startPart(name: PartName): void {
    this.#started.add(name);
    this.#call(name, 'start', (part) => part.start());
  }

  /** Calls every part that is made, in the order of the list or against it. */
  #each(step: keyof Part, call: (part: Part, name: PartName) => void, isBackwards = false): void {
    for (const name of isBackwards ? partNames.toReversed() : partNames) this.#call(name, step, call);
  }

  /** A part that throws does not keep the others from their turn. */
  #call(name: PartName, step: keyof Part, call: (part: Part, name: PartName) => void): void {
    const part = this.#made.get(name);
    if (part === undefined) return;
    try {
      call(part, name);
    } catch (error) {
      warnOnce('PLM_HOST_PART_FAILED', { part: name, step, reason: String(error) });
    }
  }
}

/** Loads what these settings need. */
async function loadModules(
  { policyFile, ledgerUrl, maxPauseMs = 0 }: HostSettings,
  before: Pick<HostModules, 'recorder' | 'audit' | 'workers' | 'link'> = {},
): Promise<HostModules> {
  const isProved = before.recorder !== undefined && maxPauseMs > 0;
  return {
    ...before,
    acting: (policyFile ?? ledgerUrl) === undefined ? undefined : await import('./parts/govern/acting.ts'),
    proof: isProved ? await import('@plimsoll/leak/internal/proof/live-proof') : undefined,
  };
}
