import { Calibration } from './calibration.ts';
import type { CalibrationPair } from './calibration.ts';
import { knownBytes } from './lens.ts';
import type { CensusResult, CensusTarget } from './scope-walk.ts';

interface MeasuredScope {
  readonly group: string;
  readonly result: CensusResult;
  /** Roots that the scope had when it was measured. */
  readonly rootCount: number;
  /** When it was first measured with these bytes, by the monotonic clock. */
  readonly sameSince: number;
  /** Empty of the user's objects once its scope has closed. */
  readonly marker: CensusTarget['marker'];
}

interface GroupSum {
  /** Sums over scopes whose insides were all seen. */
  bytes: number;
  visible: number;
  scopes: number;
  /** Sums over scopes in which something hides that was not looked at yet. */
  partBytes: number;
  partVisible: number;
  external: number;
}

/** So many scopes of a kind must have been seen whole before the others are estimated by them. */
const fewestWhole = 3;
const mostGroups = 1000;
/** A scope changes little in this time, so that its measurement can be held against a snapshot. */
const sameTimeMs = 120_000;

/** The results of the census by scope, with running sums per kind, so that a total costs nothing per scope. */
export class CensusBook {
  readonly #entries = new Map<number, MeasuredScope>();
  readonly #groups = new Map<string, GroupSum>();
  readonly #calibration = new Calibration();
  #hiding = 0;
  #inspection: Iterator<[number, MeasuredScope]> | undefined;

  /** Scopes that were measured. */
  get size(): number {
    return this.#entries.size;
  }

  /** Those of them in which something hides that was not looked at yet. */
  get hiding(): number {
    return this.#hiding;
  }

  /** Numbers and one shared string per scope; measured at about 200 bytes. */
  get retainedBytes(): number {
    return 200 * this.#entries.size + 150 * (this.#groups.size + this.#calibration.size);
  }

  /** The measurement as it was taken, without an estimate of what hides in it. */
  raw(id: number): Pick<MeasuredScope, 'result' | 'rootCount' | 'sameSince'> | undefined {
    return this.#entries.get(id);
  }

  get(id: number): CensusResult | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    if (entry.marker.state === 'closed') {
      this.remove(id);
      return undefined;
    }
    const { result, group } = entry;
    return this.calibrated(group, withHidden(result, this.#sumOf(group)));
  }

  /** A measurement with what snapshots taught about scopes of its kind. */
  calibrated(group: string, result: CensusResult): CensusResult {
    const factor = this.#calibration.of(group);
    if (factor === undefined) return result;
    const { external } = result;
    const heap = Math.max(0, result.bytes - external) * factor.ratio;
    const off = 2 * factor.spread * heap;
    return {
      ...result,
      bytes: Math.round(external + heap),
      low: Math.round(external + Math.max(0, heap - off)),
      high: Math.round(external + heap + off),
    };
  }

  /** Learns from a snapshot taken at `at`: what scopes retain, by their path. Only scopes that were measured about then are compared. */
  calibrate(retained: ReadonlyMap<string, number>, at: number): void {
    const pairs: CalibrationPair[] = [];
    for (const { group, result, marker } of this.#entries.values()) {
      const bytes = retained.get(marker.path ?? '');
      if (bytes === undefined || marker.state === 'closed' || Math.abs(result.at - at) > sameTimeMs) continue;
      const { external, opened } = result;
      const walked = withHidden(result, this.#sumOf(group)).bytes - external;
      pairs.push({ group, walked, retained: Math.max(0, bytes - external - knownBytes * opened) });
    }
    this.#calibration.learn(pairs);
  }

  set({ id, group, marker, roots }: CensusTarget, result: CensusResult): void {
    const before = this.#entries.get(id);
    const isSame = before?.result.bytes === result.bytes && before.result.unseen === result.unseen;
    const sameSince = isSame ? before.sameSince : result.measuredAt;
    this.remove(id);
    this.#entries.set(id, { group, result, marker, rootCount: roots.length, sameSince });
    add(this.#sumOf(group), result, 1);
    if (result.unseen > 0) this.#hiding++;
  }

  remove(id: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    add(this.#sumOf(entry.group), entry.result, -1);
    if (entry.result.unseen > 0) this.#hiding--;
  }

  /** Looks at the next scopes in turn and drops those that closed, so that sums follow within a moment and no call takes long. */
  prune(count: number): void {
    for (let i = 0; i < count; i++) {
      this.#inspection ??= this.#entries.entries();
      const next = this.#inspection.next();
      if (next.done === true) {
        this.#inspection = undefined;
        return;
      }
      const [id, { marker }] = next.value;
      if (marker.state === 'closed') this.remove(id);
    }
  }

  total(): { scopes: number; bytes: number; external: number } {
    let bytes = 0;
    let external = 0;
    for (const [group, sum] of this.#groups) {
      const parts = Math.max(sum.partBytes, sum.partVisible * ratioOf(sum));
      const factor = this.#calibration.of(group)?.ratio ?? 1;
      bytes += (sum.bytes + parts) * factor + sum.external;
      external += sum.external;
    }
    return { scopes: this.#entries.size, bytes: Math.round(bytes), external };
  }

  #sumOf(group: string): GroupSum {
    let sum = this.#groups.get(group);
    if (sum === undefined) {
      // A program that makes its classes anew all the time must not fill this.
      if (this.#groups.size >= mostGroups) return this.#rest();
      sum = emptySum();
      this.#groups.set(group, sum);
    }
    return sum;
  }

  #rest(): GroupSum {
    let sum = this.#groups.get('');
    if (sum === undefined) this.#groups.set('', (sum = emptySum()));
    return sum;
  }
}

/** A measurement with an estimate of what hides in it, by the scopes of its kind that were seen whole. */
function withHidden(result: CensusResult, sum: GroupSum): CensusResult {
  const heap = result.bytes - result.external;
  const whole =
    result.unseen === 0 ? heap : Math.max(heap, (result.visible - result.external) * ratioOf(sum));
  if (whole === heap) return result;
  const scale = heap > 0 ? whole / heap : 1;
  const scaled = (bytes: number): number =>
    Math.round(Math.max(0, bytes - result.external) * scale + result.external);
  return {
    ...result,
    bytes: scaled(result.bytes),
    low: Math.min(result.low, scaled(result.low)),
    high: Math.max(result.high, scaled(result.high)),
  };
}

function emptySum(): GroupSum {
  return { bytes: 0, visible: 0, scopes: 0, partBytes: 0, partVisible: 0, external: 0 };
}

/** Heap bytes with what is hidden, per visible byte, in scopes of the kind that were seen whole. */
function ratioOf({ scopes, bytes, visible }: GroupSum): number {
  return scopes >= fewestWhole && visible > 0 ? bytes / visible : 1;
}

function add(sum: GroupSum, { bytes, visible, external, unseen }: CensusResult, sign: 1 | -1): void {
  sum.external += sign * external;
  if (unseen === 0) {
    sum.bytes += sign * (bytes - external);
    sum.visible += sign * Math.max(0, visible - external);
    sum.scopes += sign;
  } else {
    sum.partBytes += sign * (bytes - external);
    sum.partVisible += sign * Math.max(0, visible - external);
  }
}
