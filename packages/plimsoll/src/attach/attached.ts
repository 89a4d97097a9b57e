import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { Cdp } from './cdp.ts';
import { listeningPorts } from './process-facts.ts';
import type { Inspector } from './find-inspector.ts';
import { siteRows, type SamplingNode, type AttachedSite } from './site-rows.ts';
import { vitalsExpression, type AttachedVitals } from './vitals.ts';

/** Bytes between two samples: 1 to 3 % of a core where a server allocates 1 GB per second, less than 1 % in a usual one. */
const samplingInterval = 512 * 1024;
const detachMs = 15_000;

/** A process that is attached to. `close()` restores its original state. */
export class Attached {
  readonly #cdp: Cdp;
  readonly #inspector: Inspector;
  readonly #pid: number | undefined;
  #isSampling = false;

  private constructor(cdp: Cdp, inspector: Inspector, pid: number | undefined) {
    this.#cdp = cdp;
    this.#inspector = inspector;
    this.#pid = pid;
  }

  static async open(inspector: Inspector, pid?: number): Promise<Attached> {
    return new Attached(await Cdp.connect(inspector.url), inspector, pid);
  }

  async vitals(): Promise<AttachedVitals> {
    return JSON.parse(await this.#evaluate(vitalsExpression)) as AttachedVitals;
  }

  /** The process id of the target inside its own namespace. */
  async pid(): Promise<number> {
    return Number(await this.#evaluate('String(process.pid)'));
  }

  async collectGarbage(): Promise<void> {
    await this.#cdp.send('HeapProfiler.collectGarbage');
  }

  async startSampling(): Promise<void> {
    await this.#cdp.send('HeapProfiler.startSampling', { samplingInterval });
    this.#isSampling = true;
  }

  /** Live bytes allocated since the start of sampling, by allocating function. It costs one full GC. */
  async stopSampling(): Promise<readonly AttachedSite[]> {
    this.#isSampling = false;
    const { profile } = await this.#cdp.send<{ profile: { head: SamplingNode } }>(
      'HeapProfiler.stopSampling',
    );
    return siteRows(profile.head);
  }

  /**
   * Writes a heap snapshot to a file of mode 0600. The file gets its name when it is complete. Resolves to the longest time that the
   * process was stopped.
   */
  async snapshot(file: string): Promise<number> {
    const partial = `${file}.partial`;
    const descriptor = openSync(partial, 'w', 0o600);
    const started = performance.now();
    try {
      this.#cdp.on(
        'HeapProfiler.addHeapSnapshotChunk',
        ({ chunk }: { chunk: string }) => void writeSync(descriptor, chunk),
      );
      await this.#cdp.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
      renameSync(partial, file);
    } catch (error) {
      removeFile(partial);
      throw error;
    } finally {
      closeSync(descriptor);
    }
    return Math.round(performance.now() - started);
  }

  /** Ends sampling, closes the inspector if we opened it, and waits until its port is closed. */
  async close(): Promise<void> {
    try {
      if (this.#isSampling) await this.#cdp.send('HeapProfiler.stopSampling');
      await this.#cdp.send('HeapProfiler.disable');
      // Closing the inspector waits for every connection to end, so our connection must end first.
      if (this.#inspector.isOurs) {
        await this.#evaluate(
          `(() => { const load = process.getBuiltinModule ?? require; const i = load('node:inspector'); setTimeout(() => i.close(), 20); return ''; })()`,
        );
      }
    } catch {
      // The process ended meanwhile, so there is nothing to restore.
    }
    await this.#cdp.close();
    const pid = this.#pid;
    if (pid === undefined || !this.#inspector.isOurs) return;
    const until = performance.now() + detachMs;
    while (listeningPorts(pid).has(this.#inspector.port) && performance.now() < until) await sleep(20);
  }

  async #evaluate(expression: string): Promise<string> {
    const { result, exceptionDetails } = await this.#cdp.send<{
      result: { value?: unknown };
      exceptionDetails?: { text: string; exception?: { description?: string } };
    }>('Runtime.evaluate', { expression, includeCommandLineAPI: true, returnByValue: true });
    if (exceptionDetails !== undefined) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return String(result.value);
  }
}
