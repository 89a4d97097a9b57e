import { roster } from '@plimsoll/core/internal/scope/index';
import { limitPolicyOf } from '@plimsoll/govern/internal/level/limit-policy';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import { processSensor } from '@plimsoll/leak/internal/floor/floor-watch';
import { Sampler } from '@plimsoll/core/internal/sense/sampler';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Part } from './part.ts';

/** Heap in bytes that the modules of the host keep beside those of core, without a policy and with one. test/integration/footprint.test.ts bounds it. */
const watchingBytes = 2_900_000;
const actingBytes = 5_700_000;

interface SensorOptions {
  readonly policy: Policy;
  readonly isActing: boolean;
  /** Whether a process at rest may be read more rarely. */
  readonly mayRest: () => boolean;
  readonly unattributed: (floorBytes: number) => number | undefined;
  /** Hands a reading to every part. */
  readonly onReading: (reading: Reading) => void;
}

/** Takes the readings of this process, as often as the policy says. */
export class SensorPart implements Part {
  readonly sampler: Sampler;
  readonly #onReading: SensorOptions['onReading'];

  constructor({ policy, isActing, mayRest, unattributed, onReading }: SensorOptions) {
    this.#onReading = onReading;
    this.sampler = new Sampler({
      sensor: processSensor(),
      policy: limitPolicyOf(policy),
      ...rhythmOf(policy),
      mayRest,
      scopes: () => roster.count - 1,
      unattributed,
    });
    const hostBytes = isActing ? actingBytes : watchingBytes;
    this.sampler.self.retains('host', () => hostBytes);
  }

  /** The first reading is taken before this returns. */
  start(): void {
    this.sampler.onReading(this.#onReading);
    this.sampler.start();
  }

  swap(policy: Policy): void {
    this.sampler.setPolicy(limitPolicyOf(policy));
    this.sampler.setRhythm(rhythmOf(policy));
  }

  stop(): void {
    this.sampler.stop();
  }
}

function rhythmOf({ signal }: Policy): { intervalMs: number; fastIntervalMs: number; staleAfterMs: number } {
  return { intervalMs: signal.sampleMs, fastIntervalMs: signal.fastMs, staleAfterMs: signal.staleMs };
}
