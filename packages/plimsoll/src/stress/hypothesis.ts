import { formatByteSize, formatDuration, parseByteSize, parseDuration } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';
import type { HypothesisRow, PlanRow } from '../report/stress-section.ts';

type Unit = 'bytes' | 'ms' | 'ratio' | 'count';

interface Quantity {
  readonly words: RegExp;
  readonly unit: Unit;
  /** The worst value over the plans; null when it was not measured. */
  readonly of: (plans: readonly PlanRow[]) => number | null;
}

const worst =
  (of: (plan: PlanRow) => number | null) =>
  (plans: readonly PlanRow[]): number | null => {
    const known = plans.map(of).filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };

/** The quantities of hypotheses. */
const quantities: readonly Quantity[] = [
  {
    words: /^bytes per (?:call|request|turn|event)$/,
    unit: 'bytes',
    of: worst(({ bytesPerCall }) => bytesPerCall),
  },
  { words: /^bytes per session$/, unit: 'bytes', of: worst(({ bytesPerSession }) => bytesPerSession) },
  {
    words: /^(?:the )?growth$/,
    unit: 'bytes',
    of: worst(({ startBytes, endBytes }) =>
      startBytes === null || endBytes === null ? null : endBytes - startBytes,
    ),
  },
  { words: /^(?:the )?(?:peak|rss|peak memory)$/, unit: 'bytes', of: worst(({ peakBytes }) => peakBytes) },
  { words: /^(?:the )?live memory$/, unit: 'bytes', of: worst(({ endBytes }) => endBytes) },
  { words: /^(?:the )?p50$/, unit: 'ms', of: worst(({ p50Ms }) => p50Ms) },
  { words: /^(?:the )?p99$/, unit: 'ms', of: worst(({ p99Ms }) => p99Ms) },
  {
    words: /^(?:the )?(?:errors|error rate)$/,
    unit: 'ratio',
    of: worst(({ errors, calls }) => (calls === 0 ? null : errors / calls)),
  },
  { words: /^(?:the )?failed calls$/, unit: 'count', of: worst(({ errors }) => errors) },
  {
    words: /^(?:the )?reclaimed(?: memory| share)?$/,
    unit: 'ratio',
    of: (plans) => {
      const known = plans.map(({ reclaimedRatio }) => reclaimedRatio).filter((value) => value !== null);
      return known.length === 0 ? null : Math.min(...known);
    },
  },
];

const form =
  /^(.+?)\s+(?:stays?|is|are|remains?|keeps?)\s+(below|under|at most|above|over|at least)\s+(.+?)\.?$/i;
const accepted =
  '"bytes per call stay below 2 KiB"; quantities: bytes per call, bytes per session, growth, peak, live memory, p50, p99, errors, failed calls, reclaimed';

export interface Hypothesis {
  readonly id: string;
  readonly text: string;
  readonly quantity: Quantity;
  readonly isBelow: boolean;
  readonly bound: number;
}

/** Reads a hypothesis such as `bytes per turn stay below 2 KiB`. */
export function parseHypothesis(id: string, text: string): Hypothesis {
  const [, subject = '', word = '', value = ''] = form.exec(text.trim()) ?? [];
  const quantity = quantities.find(({ words }) => words.test(subject.toLowerCase()));
  const bound = quantity === undefined ? undefined : parseValue(value, quantity.unit);
  if (quantity === undefined || bound === undefined)
    throw failure('PLM_STRESS_BAD_HYPOTHESIS', { id, text, accepted });
  return { id, text, quantity, isBelow: /below|under|most/i.test(word), bound };
}

function parseValue(text: string, unit: Unit): number | undefined {
  const plain = text.trim();
  if (unit === 'bytes') return parseByteSize(plain.replace(/\s+/g, ''));
  if (unit === 'ms') return parseDuration(plain.replace(/\s+/g, ''));
  const percent = /^([\d.]+)\s*%$/.exec(plain)?.[1];
  if (percent !== undefined) return Number(percent) / 100;
  const number = Number(plain);
  return Number.isFinite(number) ? number : undefined;
}

/** Confirmed or rejected by the worst plan; undecided when nothing was measured. */
export function judgeHypothesis(
  { id, text, quantity, isBelow, bound }: Hypothesis,
  plans: readonly PlanRow[],
): HypothesisRow {
  const value = quantity.of(plans);
  if (value === null) return { id, text, outcome: 'undecided', measured: 'it was not measured' };
  const holds = isBelow ? value <= bound : value >= bound;
  return { id, text, outcome: holds ? 'confirmed' : 'rejected', measured: valueText(value, quantity.unit) };
}

function valueText(value: number, unit: Unit): string {
  if (unit === 'bytes') return value < 0 ? `-${formatByteSize(-value)}` : formatByteSize(value);
  if (unit === 'ms') return formatDuration(value);
  return unit === 'ratio' ? `${(100 * value).toFixed(1)} %` : value.toLocaleString('en-US');
}
