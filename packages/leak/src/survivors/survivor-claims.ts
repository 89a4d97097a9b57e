import { growthSeverity } from '../findings/severity.ts';
import type { Claim } from '../findings/finding-book.ts';
import type { Finding } from '../findings/finding.ts';
import { straightBand } from '../judge/forecast.ts';
import type { Forecast } from '../judge/forecast.ts';
import type { SurvivorGroup } from './survivors.ts';

const hourMs = 3_600_000;
/** Less time than this says nothing about a pace. */
const leastMs = 60_000;

/** A group of survivors as it was told first, and what one of them retains once that is known. */
interface Told {
  readonly since: number;
  readonly from: number;
  alive: number;
  bytesEach: number;
}

/** The limit as the last reading had it. */
export interface Room {
  readonly bytes: number;
  readonly usedRatio: number;
}

/** The label of a scope itself, beside those of what it watched. */
export const scopeLabel = 'scope';

/** What a group of survivors is, e.g. `"state" of the closed session`. */
export function survivorSubject(kind: string, label: string): string {
  return label === scopeLabel ? `the closed ${kind}` : `"${label}" of the closed ${kind}`;
}

/** Makes claims of confirmed survivors. With the bytes that one of them retains come pace, forecast and severity. */
export class SurvivorClaims {
  readonly #told = new Map<string, Told>();
  readonly #paces = new Map<string, Forecast>();

  /** The forecast that comes true first, by the pace of the survivors alone. */
  get forecasts(): readonly Forecast[] {
    return [...this.#paces.values()];
  }

  /** The claim of a group; undefined when nothing has changed since it was made last. */
  claimOf(group: SurvivorGroup, at: number, room: Room): Claim | undefined {
    const { fingerprint, alive, kind, label, example, closedAt } = group;
    const told = this.#told.get(fingerprint);
    if (told?.alive === alive) return undefined;
    if (told === undefined) this.#told.set(fingerprint, { since: at, from: alive, alive, bytesEach: 0 });
    else told.alive = alive;
    const subject = survivorSubject(kind, label);
    const claim: Claim = {
      kind: 'survivor',
      severity: 'medium',
      scope: example,
      fingerprint,
      firstSeen: closedAt,
      times: alive,
      bytes: 0,
      subject,
      fix: `let go of ${subject}: a map entry, a listener, a timer or a promise that never settles still holds it.`,
    };
    return { ...claim, ...this.#weightOf(fingerprint, at, room) };
  }

  /** Forgets a group that is gone; when it comes back, it is claimed anew. */
  forget(fingerprint: string): void {
    this.#told.delete(fingerprint);
    this.#paces.delete(fingerprint);
  }

  /** A finding about survivors with the bytes that one of them retains, as a snapshot showed. */
  weigh(finding: Finding, bytesEach: number, room: Room): Finding {
    const told = this.#told.get(finding.fingerprint);
    if (told === undefined) return finding;
    told.bytesEach = bytesEach;
    return { ...finding, ...this.#weightOf(finding.fingerprint, finding.lastSeen, room) };
  }

  #weightOf(
    fingerprint: string,
    at: number,
    { bytes: roomBytes, usedRatio }: Room,
  ): Pick<Claim, 'bytes' | 'severity' | 'rate' | 'exhaustsIn'> {
    const { bytesEach, alive, from, since } = this.#told.get(fingerprint) as Told;
    const bytes = Math.round(bytesEach * alive);
    const overMs = at - since;
    const rate = overMs >= leastMs ? Math.round((bytesEach * (alive - from) * hourMs) / overMs) : 0;
    if (rate <= 0) {
      this.#paces.delete(fingerprint);
      return { bytes, severity: growthSeverity({ left: undefined, usedRatio, isProved: true }) };
    }
    const ms = (Math.max(0, roomBytes) / rate) * hourMs;
    const left = { ms, low: straightBand.low * ms, high: straightBand.high * ms };
    this.#paces.set(fingerprint, { ...left, bytesPerHour: rate, source: 'heap', at });
    const severity = growthSeverity({ left, usedRatio, isProved: true });
    return { bytes, rate, exhaustsIn: left, severity };
  }
}
