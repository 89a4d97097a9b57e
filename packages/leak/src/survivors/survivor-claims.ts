import { growthSeverity } from '../findings/severity.ts';
import type { Claim } from '../findings/finding-book.ts';
import type { Finding } from '../findings/finding.ts';
import { straightBand } from '../judge/forecast.ts';
import type { Forecast } from '../judge/forecast.ts';
import type { SurvivorGroup } from './survivors.ts';

const hourMs = 3_600_000;
/** Least time for computing a rate. */
const leastMs = 60_000;

/** The first published state of a group of survivors, and the bytes that one of them retains once known. */
interface Told {
  readonly since: number;
  readonly from: number;
  alive: number;
  bytesEach: number;
}

/** The limit in the last reading. */
export interface Room {
  readonly bytes: number;
  readonly usedRatio: number;
}

/** The label of a scope object itself. */
export const scopeLabel = 'scope';

/** Description of a group of survivors, e.g. `"state" of the closed session`. */
export function survivorSubject(kind: string, label: string): string {
  return label === scopeLabel ? `the closed ${kind}` : `"${label}" of the closed ${kind}`;
}

/** Makes claims of confirmed survivors. When the bytes that one of them retains are known, it adds rate, forecast and severity. */
export class SurvivorClaims {
  readonly #told = new Map<string, Told>();
  readonly #paces = new Map<string, Forecast>();

  /** The forecasts from the rates of the survivors. */
  get forecasts(): readonly Forecast[] {
    return [...this.#paces.values()];
  }

  /** The claim of a group; undefined when nothing has changed since the last one. */
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
      fix: `release ${subject}: a map entry, a listener, a timer or a promise that never settles still holds it.`,
    };
    return { ...claim, ...this.#weightOf(fingerprint, at, room) };
  }

  /** Forgets a group that is gone. When it comes back, there is a new claim. */
  forget(fingerprint: string): void {
    this.#told.delete(fingerprint);
    this.#paces.delete(fingerprint);
  }

  /** Adds to a finding about survivors the bytes that one of them retains in a snapshot. */
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
