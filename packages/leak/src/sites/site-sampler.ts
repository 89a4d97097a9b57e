import type { Session } from 'node:inspector';
import v8 from 'node:v8';
import { inspectorSession } from '@plimsoll/core/internal/inspector';
import { slots } from '@plimsoll/core/internal/slots';
import { isOwnFile } from '../audit/call-site.ts';
import { installedFile } from '../audit/installed-file.ts';
import { ScriptOrigins } from './script-origins.ts';
import { siteGrowth } from './site-growth.ts';
import type { SampledObject, SiteGrowth, SiteRead } from './site-growth.ts';

/** One function of the program. V8 reports functions and not lines, so the position is that of the function. */
export interface Site {
  readonly function: string;
  /** File address and line where the function begins. */
  readonly file: string;
  readonly line: number;
  /** Counts from 0. It is needed because a bundle has all its code in a few lines. */
  readonly column: number;
  /** V8's id of the script. */
  readonly scriptId: string;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly scriptId: string;
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children: readonly ProfileNode[];
}

interface Profile {
  readonly head: ProfileNode;
  readonly samples: readonly { readonly size: number; readonly nodeId: number; readonly ordinal: number }[];
}

/** One sample per this many bytes: 0.2 to 0.5 % of a core at 9 MB/s, and about 160 bytes of native memory per live sample. */
const usualIntervalBytes = 128 * 1024;
/** Most reads that are kept. When there are more, every second one of the older half is dropped. */
const mostReads = 10;
/** With more reads than this the first one is left out, because the program loads and warms up after it. */
const readsWithStart = 6;
/** Most functions that are distinguished. */
const mostSites = 5000;

/**
 * The standing sampler of allocation sites in this process. V8 has one sampler per isolate, so this one does not start while other code
 * uses it. Through the inspector each read collects the heap first, so a read is also a floor.
 */
export class SiteSampler implements Disposable {
  readonly #sites: Site[] = [];
  readonly #index = new Map<string, number>();
  readonly #intervalBytes: number;
  /** Origins of the scripts that allocated. */
  readonly scripts: ScriptOrigins;
  #session: Session | undefined;
  #reads: SiteRead[] = [];
  #grown: { readonly newest: SiteRead | undefined; readonly growth: SiteGrowth | undefined } | undefined;

  /**
   * One sample per `intervalBytes`. A test runs only for seconds and takes more of them. `isOwn` is true for files that are never a site.
   */
  constructor(intervalBytes = usualIntervalBytes, isOwn: (file: string) => boolean = isOwnFile) {
    this.#intervalBytes = intervalBytes;
    this.scripts = new ScriptOrigins(isOwn);
  }

  /** True while samples are taken. */
  get isOn(): boolean {
    return this.#session !== undefined;
  }

  get reads(): readonly SiteRead[] {
    return this.#reads;
  }

  site(index: number): Site | undefined {
    return this.#sites[index];
  }

  /**
   * The program's own functions of which something is still there. First those that allocated since the read before, because they run now,
   * then the others; of each most bytes first. What they and those that they called allocated counts.
   */
  busyFunctions(): readonly Site[] {
    const [newest, before] = [this.#reads.at(-1), this.#reads.at(-2)];
    const old = new Set(before?.objects.map(({ ordinal }) => ordinal));
    const bytesOf = new Map<number, { fresh: number; all: number }>();
    for (const { ordinal, bytes, sites } of newest?.objects ?? [])
      for (const site of new Set(sites)) {
        const { fresh, all } = bytesOf.get(site) ?? { fresh: 0, all: 0 };
        bytesOf.set(site, { fresh: old.has(ordinal) ? fresh : fresh + bytes, all: all + bytes });
      }
    return [...bytesOf]
      .toSorted(([, a], [, b]) => b.fresh - a.fresh || b.all - a.all)
      .flatMap(([site]) => this.#sites[site] ?? [])
      .filter(({ file }) => !installedFile(file));
  }

  /** Whether a read collects the heap first. */
  get readCollects(): boolean {
    return !('startHeapProfile' in v8);
  }

  /** Starts sampling; false when that is not possible, as while another profiler runs or without an inspector. */
  async start(): Promise<boolean> {
    const shared = slots();
    if (this.#session !== undefined) return true;
    if (shared.sampling !== undefined || !process.features.inspector) return false;
    shared.sampling = { since: performance.now() };
    try {
      const session = inspectorSession();
      if (session === undefined) throw new Error('no inspector');
      // Node 26 can start the sampler so that a read does not collect the heap.
      const { startHeapProfile } = v8 as { startHeapProfile?: (options: object) => unknown };
      if (startHeapProfile === undefined) {
        session.post('HeapProfiler.startSampling', { samplingInterval: this.#intervalBytes });
      } else {
        startHeapProfile({ sampleInterval: this.#intervalBytes });
      }
      this.#session = session;
      return true;
    } catch {
      shared.sampling = undefined;
      return false;
    }
  }

  /** Reads the live samples. Call it where a collection may happen. False when nothing could be read. */
  read(at = Date.now()): boolean {
    let profile: Profile | undefined;
    this.#session?.post('HeapProfiler.getSamplingProfile', (error, found) => {
      // The callback of a session in its own thread runs before `post` returns.
      if (error === null) profile = found.profile as unknown as Profile;
    });
    if (profile === undefined) return false;
    const heapBytes = v8.getHeapStatistics().used_heap_size;
    this.#reads.push({ at, heapBytes, objects: this.#objectsOf(profile) });
    if (this.#reads.length > mostReads) this.#reads = thinned(this.#reads);
    return true;
  }

  /** Growth since the first kept read, or since the second one where there are enough. Every frame calls it, so it is computed once per read. */
  growth(): SiteGrowth | undefined {
    const newest = this.#reads.at(-1);
    if (this.#grown?.newest !== newest) {
      const from = this.#reads.length > readsWithStart ? 1 : 0;
      this.#grown = { newest, growth: siteGrowth(this.#reads.slice(from)) };
    }
    return this.#grown?.growth;
  }

  [Symbol.dispose](): void {
    if (this.#session === undefined) return;
    this.#session.post('HeapProfiler.stopSampling', () => undefined);
    this.#session = undefined;
    this.#reads = [];
    this.#grown = undefined;
    slots().sampling = undefined;
  }

  #objectsOf({ head, samples }: Profile): readonly SampledObject[] {
    const stacks = new Map<number, readonly number[]>();
    const pending: { readonly node: ProfileNode; readonly above: readonly number[] }[] = [
      { node: head, above: [] },
    ];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { node, above } = next;
      const site = this.#siteOf(node);
      const stack = site === undefined ? above : [site, ...above];
      stacks.set(node.id, stack);
      for (const child of node.children) pending.push({ node: child, above: stack });
    }
    // A sample that was taken while the tree was written may name a node that is not in the tree.
    return samples.flatMap(({ ordinal, size, nodeId }) => {
      const sites = stacks.get(nodeId);
      return sites === undefined ? [] : [{ ordinal, bytes: size, sites }];
    });
  }

  /** Functions of the program and its packages; those of Node.js and our own are left out. */
  #siteOf({ callFrame }: ProfileNode): number | undefined {
    const { functionName, url, lineNumber, columnNumber, scriptId } = callFrame;
    if (this.scripts.add(scriptId, url) === 'other') return undefined;
    const key = `${functionName} ${url} ${lineNumber}:${columnNumber}`;
    const known = this.#index.get(key);
    if (known !== undefined) return known;
    if (this.#sites.length >= mostSites) return undefined;
    this.#index.set(key, this.#sites.length);
    this.#sites.push({
      function: functionName || '(anonymous)',
      file: url,
      line: lineNumber + 1,
      column: columnNumber,
      scriptId,
    });
    return this.#sites.length - 1;
  }
}

/** Keeps the first and the newest reads and every second one of the rest. */
function thinned(reads: readonly SiteRead[]): SiteRead[] {
  const recent = Math.ceil(reads.length / 2);
  return reads.filter((_, i) => i === 0 || i >= reads.length - recent || i % 2 === 0);
}
