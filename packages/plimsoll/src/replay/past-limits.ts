import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { GovernedReading } from '@plimsoll/govern/internal/level/process-levels';
import { limitPolicyOf } from '@plimsoll/govern/internal/level/limit-policy';
import type { StoredSample } from '@plimsoll/ledger';

type Pressure = GovernedReading['pressures'][number];

/** The limit in the start entry of a run. */
export interface StartedWith {
  readonly limit: number | undefined;
  readonly limitSource: string | undefined;
}

/**
 * The past limits of a process, as far as its ledger has them. A row has only the limit that was nearest at that moment; its kind follows
 * from the bytes that counted against it. The limits of earlier rows are kept for later ones.
 */
export class PastLimits {
  readonly #policy: Policy;
  /** Factor from the heap limit under the policy of that time to the one under this policy. */
  readonly #heapScale: number;
  #heapBytes: number | undefined;
  #cgroupBytes: number | undefined;

  /** `heapRatioThen` is the usable share of old space under the policy that was in force. */
  constructor(policy: Policy, heapRatioThen: number, started: StartedWith | undefined) {
    this.#policy = policy;
    this.#heapScale = policy.limits.heapUsableRatio / heapRatioThen;
    if (started?.limitSource === 'heap') this.#heapBytes = started.limit;
    if (started?.limitSource === 'cgroup') this.#cgroupBytes = started.limit;
  }

  get isHeapKnown(): boolean {
    return this.#heapBytes !== undefined;
  }

  pressures(sample: StoredSample): readonly Pressure[] {
    const external = sample.external ?? 0;
    const live = Math.min(sample.floor ?? Number.POSITIVE_INFINITY, sample.heapUsed ?? 0);
    this.#learn(sample, live, external);
    const { processBytes, nativeBytes } = limitPolicyOf(this.#policy);
    const found: Pressure[] = [];
    const add = (source: Pressure['source'], used: number, limit: number | undefined): void => {
      if (limit !== undefined) found.push({ source, used, limit });
    };
    add('heap', live, this.#heapBytes === undefined ? undefined : this.#heapBytes * this.#heapScale);
    add(
      'cgroup',
      sourceOf(sample, live, external) === 'cgroup' ? sample.bytes : (sample.rss ?? 0),
      this.#cgroupBytes,
    );
    add('policy', live + external, processBytes);
    add('native', external, nativeBytes);
    return found;
  }

  #learn(sample: StoredSample, live: number, external: number): void {
    if (sample.limit === null) return;
    const source = sourceOf(sample, live, external);
    if (source === 'heap') this.#heapBytes = sample.limit;
    if (source === 'cgroup') this.#cgroupBytes = sample.limit;
  }
}

/** The kind of limit of a row. */
function sourceOf(sample: StoredSample, live: number, external: number): Pressure['source'] {
  if (sample.bytes === live) return 'heap';
  if (sample.bytes === live + external) return 'policy';
  return sample.bytes === external ? 'native' : 'cgroup';
}
