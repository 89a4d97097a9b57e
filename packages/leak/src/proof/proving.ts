import type { Finding } from '../findings/finding.ts';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Testimony } from './testimony.ts';
import type { Witness } from './witness.ts';
import type { Detection } from '../judge/detection.ts';
import type { FindingLog } from '../findings/finding-log.ts';
import type * as PursuingModule from './pursuing.ts';
import type { Pursuing } from './pursuing.ts';
import type { Tracing } from './tracing.ts';

export interface ProvingOptions {
  /** Loaded by the host only where the program may be stopped for a snapshot. */
  readonly parts: {
    readonly witness?: Witness | undefined;
    readonly pursuing?: typeof PursuingModule | undefined;
  };
  readonly dir: string;
  readonly maxPauseMs: number;
  readonly detection: Detection;
  readonly findings: FindingLog;
}

/** What is made of a suspicion: who holds it, by snapshots that another process reads. Without a witness findings are told as they are. */
export class Proving {
  readonly #witness: Witness | undefined;
  readonly #detection: Detection;
  readonly #findings: FindingLog;
  readonly #pursuing: Pursuing | undefined;
  readonly #tracing: Tracing | undefined;

  constructor({ parts, dir, maxPauseMs, detection, findings }: ProvingOptions) {
    const { witness, pursuing } = parts;
    this.#witness = witness;
    this.#detection = detection;
    this.#findings = findings;
    if (witness === undefined || pursuing === undefined) return;
    const onFinding = (finding: Finding): void => findings.publish(finding);
    this.#pursuing = new pursuing.Pursuing({
      dir,
      maxPauseMs,
      leads: () => detection.growing,
      testimony: () => witness.testimony,
      onFinding,
    });
    this.#tracing = new pursuing.Tracing({
      evidence: (since) => witness.evidence(since),
      weigh: (finding, bytesEach) => detection.weigh(finding, bytesEach),
      onFinding,
    });
  }

  start(): void {
    this.#witness?.onPair((testimony) => void this.#prove(testimony));
    this.#witness?.onEnd(() => this.#end());
  }

  /** What survived a closed scope is confirmed already; where a snapshot may be taken it names who holds it. */
  found(finding: Finding): void {
    if (finding.kind === 'survivor' && this.#tracing !== undefined) this.#tracing.take(finding);
    else this.#findings.publish(finding);
  }

  take(reading: Reading): void {
    void this.#pursuing?.take(reading);
  }

  stop(): void {
    this.#pursuing?.stop();
    this.#tracing?.stop();
  }

  /** The process ends: what outlived its scope and has no path yet is to be found in a last snapshot, by whoever reads that. */
  #end(): void {
    this.#detection.conclude();
    const untraced = this.#findings.rows.filter(
      (each) => each.kind === 'survivor' && each.trace === undefined,
    );
    if (untraced.length > 0) this.#witness?.want(Math.max(...untraced.map(({ firstSeen }) => firstSeen)));
  }

  /** Two snapshots are there while the program runs: only what they say becomes a finding. */
  async #prove(testimony: Testimony): Promise<void> {
    const { analyzeElsewhere } = await import('./analyze.ts');
    const { prove } = await import('./prove.ts');
    const { first, last } = testimony;
    if (last === null) return;
    const isNative = testimony.channels.native.shape === 'growing';
    const evidence = await analyzeElsewhere(last, first, { isNative, isGuest: true });
    for (const finding of prove(testimony, evidence).findings) this.#findings.publish(finding);
  }
}
