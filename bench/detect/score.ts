/** The scoring rules of the shared scorer, with the forecast's accuracy besides. */
import type { GcEvent, Meta, Rule, SampleEvent } from './peers.ts';
import type { Series } from './series.ts';

/** What one series showed. */
export interface Outcome {
  readonly id: string;
  readonly family: string;
  readonly leak: boolean;
  /** Seconds of the first alarm after the onset, or undefined. */
  readonly detected: number | undefined;
  readonly falseAlarms: number;
  /** Hours for which false alarms stood. */
  readonly falseHours: number;
  readonly healthyHours: number;
  /** Leaked share of the headroom at the first alarm. */
  readonly headroom: number;
  readonly tte: number | undefined;
  readonly band: readonly [number, number] | undefined;
}

const rearmSeconds = 7200;

function gcEvent(series: Series, k: number): GcEvent {
  const i = Math.max(0, Math.min(series.n - 1, series.gI[k] as number));
  return {
    t: series.gT[k] as number,
    floor: series.gF[k] as number,
    ext: series.ext[i] as number,
    sess: series.sess[i] as number,
    req: series.req[i] as number,
    expl: series.expl[i] as number,
  };
}

function sampleEvent(series: Series, i: number): SampleEvent {
  return {
    t: i * series.dt,
    heap: series.heap[i] as number,
    heapTotal: series.heapTotal[i] as number,
    ext: series.ext[i] as number,
    rss: series.rss[i] as number,
    sess: series.sess[i] as number,
    req: series.req[i] as number,
    expl: series.expl[i] as number,
    retained: series.retained?.[i],
  };
}

/** Drives a detector through a series: `after` is called after every sample and ends the run by returning true. */
export function drive(series: Series, rule: Rule, end: number, after: (i: number) => boolean): number {
  let k = 0;
  let events = 0;
  for (let i = 0; i < end; i++) {
    for (; k < series.gT.length && (series.gT[k] as number) <= i * series.dt; k++, events++)
      rule.gc(gcEvent(series, k));
    rule.sample(sampleEvent(series, i));
    events++;
    if (after(i)) break;
  }
  return events;
}

/** A false alarm is one before the onset, counted again after two clear hours; a leak is found at the first alarm after it. */
export function score(series: Series, create: (meta: Meta) => Rule): Outcome {
  const rule = create({ budget: series.budget });
  let falseAlarms = 0;
  let falseSamples = 0;
  let detected: number | undefined;
  let was = false;
  let clearSince = Number.NEGATIVE_INFINITY;
  drive(series, rule, series.n, (i) => {
    const t = i * series.dt;
    const isOn = rule.alarm;
    if (isOn && !was && t < series.onset && t - clearSince > rearmSeconds) falseAlarms++;
    if (isOn && t < series.onset) falseSamples++;
    if (isOn && t >= series.onset) detected ??= t;
    if (was && !isOn) clearSince = t;
    was = isOn;
    return detected !== undefined && series.leak;
  });
  const start = Math.floor(series.onset / series.dt);
  const leaked = detected === undefined ? 0 : (series.lk[Math.floor(detected / series.dt)] as number);
  const room = Math.max(1e-9, series.budget - (series.live[start] ?? 0));
  return {
    id: series.id,
    family: series.family,
    leak: series.leak,
    detected,
    falseAlarms,
    falseHours: (falseSamples * series.dt) / 3600,
    healthyHours: Math.min(series.onset, series.n * series.dt) / 3600,
    headroom: Math.max(0, Math.min(1, leaked / room)),
    tte: rule.tte,
    band: rule.band,
  };
}

export interface Summary {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Per 1,000 healthy hours. */
  readonly falseAlarms: number;
  readonly ordinaryFalseAlarms: number;
  readonly headroomP50: number;
  readonly headroomP90: number;
}

/** Healthy families without those made to deceive: stairs, saturation that nothing accounts for, fragmentation. */
const deceiving = new Set(['stairs', 'satBenign', 'rssfrag']);

export function summarize(outcomes: readonly Outcome[]): Summary {
  const leaks = outcomes.filter(({ leak }) => leak);
  const found = leaks.filter(({ detected }) => detected !== undefined);
  const healthy = outcomes.filter(({ leak }) => !leak);
  const alarmed = healthy.filter(({ falseAlarms }) => falseAlarms > 0);
  const precision = found.length / Math.max(1, found.length + alarmed.length);
  const recall = found.length / Math.max(1, leaks.length);
  const shares = found.map(({ headroom }) => headroom).sort((a, b) => a - b);
  return {
    precision,
    recall,
    f1: (2 * precision * recall) / Math.max(1e-9, precision + recall),
    falseAlarms: perThousandHours(outcomes),
    ordinaryFalseAlarms: perThousandHours(healthy.filter(({ family }) => !deceiving.has(family))),
    headroomP50: shares[shares.length >> 1] ?? Number.NaN,
    headroomP90: shares[Math.floor(shares.length * 0.9)] ?? Number.NaN,
  };
}

function perThousandHours(outcomes: readonly Outcome[]): number {
  const alarms = outcomes.reduce((sum, { falseAlarms }) => sum + falseAlarms, 0);
  return (1000 * alarms) / outcomes.reduce((sum, { healthyHours }) => sum + healthyHours, 0);
}
