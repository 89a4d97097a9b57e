import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isKitFile } from '../report/kit-file.ts';
import { SiteSampler } from '@plimsoll/leak/internal/sites/site-sampler';

/** Bytes per sample. A leak of a few objects per call shows within a thousand calls. */
const intervalBytes = 4096;
/** Least share of the surviving bytes for naming a function. */
const leastShare = 0.3;

/** Finds the function of the program that allocates the surviving objects, during the calls of a proof. */
export class SiteTap implements AsyncDisposable {
  readonly #sampler: SiteSampler | undefined;

  private constructor(sampler: SiteSampler | undefined) {
    this.#sampler = sampler;
  }

  /** Starts sampling. When another profiler runs, the tap finds nothing. */
  static async start(): Promise<SiteTap> {
    const sampler = new SiteSampler(intervalBytes, isKitFile);
    return new SiteTap((await sampler.start()) ? sampler : undefined);
  }

  /** The function that allocated most of the live bytes allocated since the start, as `name (file:line)`. */
  site(): string | undefined {
    const sampler = this.#sampler;
    if (sampler === undefined || !sampler.read()) return undefined;
    const bytes = new Map<number, number>();
    let total = 0;
    for (const object of sampler.reads.at(-1)?.objects ?? []) {
      const [innermost] = object.sites;
      total += object.bytes;
      if (innermost !== undefined) bytes.set(innermost, (bytes.get(innermost) ?? 0) + object.bytes);
    }
    const [top] = [...bytes].sort((a, b) => b[1] - a[1]);
    const site = top === undefined || top[1] < leastShare * total ? undefined : sampler.site(top[0]);
    return site === undefined ? undefined : `${site.function} (${placeOf(site.file)}:${site.line})`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#sampler?.[Symbol.dispose]();
  }
}

function placeOf(file: string): string {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
