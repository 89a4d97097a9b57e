import type { ComponentChildren, JSX } from 'preact';
import type { Finding } from '../../../../packages/leak/src/findings/finding.ts';
import type { Frame } from '../../../../packages/host/src/protocol/api.ts';
import { isHistorical, now, series, seriesRevision } from '../live/state.ts';
import { Panel } from '../part/panel.tsx';
import { linkTo } from '../route.ts';
import { whenText } from '../text/clock.ts';
import { formatByteSize as bytesText } from '../../../../packages/core/src/units/byte-size.ts';
import { formatDuration as durationText } from '../../../../packages/core/src/units/duration.ts';
import { bandText, fan, firstForecast, floorText } from './forecast-shape.ts';
import { floorTrend, type FloorTrend } from './floor-trend.ts';

const size = { width: 480, height: 130, nowX: 150 };

/** The floor and when it meets the limit, with the band of doubt: the detector's word, or what the last minutes suggest. */
export function ForecastPanel({ shown }: { readonly shown: Frame }): JSX.Element {
  void seriesRevision.value;
  const { floor, floorAgeMs, limit } = shown.reading;
  const forecast = firstForecast(shown.findings);
  const line = lineOf(shown);
  const trend =
    forecast === undefined && !isHistorical.value && shown.growth?.channels.heap.shape !== 'flat'
      ? floorTrend(series.column('at'), line, limit)
      : undefined;
  const told = forecast ?? trend;
  return (
    <Panel
      title="Floor and forecast"
      aside={
        floor === undefined
          ? 'no major GC yet'
          : `floor ${bytesText(floor)}, ${durationText(floorAgeMs ?? 0)} old`
      }
    >
      {told === undefined ? (
        <NoForecast shown={shown} />
      ) : (
        <Fan line={line} limit={limit} told={told}>
          {forecast === undefined ? (
            <ByTrend trend={told as FloorTrend} />
          ) : (
            <ByFinding finding={forecast.finding} />
          )}
        </Fan>
      )}
    </Panel>
  );
}

/** What rises towards the limit that binds: the floor for the heap, what counts against it for the others. */
function lineOf({ limits }: Frame): readonly (number | null)[] {
  return series.column(limits.source === 'heap' ? 'floor' : 'used');
}

function ByFinding({ finding }: { readonly finding: Finding }): JSX.Element {
  return (
    <p class="muted">
      by{' '}
      <a href={linkTo('findings', { id: finding.id })}>
        {finding.kind} in {finding.scope}
      </a>
      {finding.rate === undefined ? '' : `, ${bytesText(finding.rate)} per hour`}
    </p>
  );
}

function ByTrend({ trend }: { readonly trend: FloorTrend }): JSX.Element {
  return (
    <p class="muted">
      if the last {durationText(trend.overMs)} go on, {bytesText(trend.bytesPerHour)} per hour; the detector
      looks longer before it is certain
    </p>
  );
}

function NoForecast({ shown }: { readonly shown: Frame }): JSX.Element {
  const { used, limit } = shown.reading;
  return (
    <div class="calm">
      <p class="calm-word">{used >= limit ? 'The limit is reached' : 'No exhaustion in sight'}</p>
      <p class="muted">{isHistorical.value ? 'The ledger keeps floors, not forecasts.' : floorText(shown)}</p>
    </div>
  );
}

/** How much of the past the left part shows. */
function pastMs(): number {
  const at = series.column('at');
  return ((at.at(-1) ?? 0) - (at[0] ?? 0)) * 1000;
}

interface FanProps {
  readonly line: readonly (number | null)[];
  readonly limit: number;
  readonly told: { readonly ms: number; readonly low: number; readonly high: number };
  readonly children: ComponentChildren;
}

function Fan({ line, limit, told, children }: FanProps): JSX.Element {
  const drawn = fan(line, limit, told, size);
  const text =
    told.ms <= 0 ? 'The limit is reached' : `Limit reached in ${durationText(told.ms)}, ${bandText(told)}`;
  return (
    <div class="forecast">
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        role="img"
        aria-label={text}
        preserveAspectRatio="none"
      >
        <line class="fan-limit" x1="0" x2={size.width} y1={drawn.limitY} y2={drawn.limitY} />
        <polygon class="fan-band" points={drawn.band} />
        <polyline class="fan-past" points={drawn.past} />
        <polyline class="fan-line" points={drawn.line} />
        <line class="fan-now" x1={size.nowX} x2={size.nowX} y1="0" y2={size.height} />
      </svg>
      <div class="fan-scale muted">
        <span>last {durationText(pastMs())}</span>
        <span>now</span>
        <span>limit {bytesText(limit)}</span>
      </div>
      <p class="forecast-text">
        <strong class="num">{told.ms <= 0 ? 'the limit is reached' : `in ${durationText(told.ms)}`}</strong>{' '}
        {told.ms <= 0 ? null : (
          <span class="muted num">
            ({bandText(told)}), {whenText(now.value + told.ms, now.value)}
          </span>
        )}
      </p>
      {children}
    </div>
  );
}
