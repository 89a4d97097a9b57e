import type { JSX } from 'preact';
import type { Frame } from '../../../../packages/plimsoll/src/server/api.ts';
import { now, series, seriesRevision } from '../live/state.ts';
import { Panel } from '../part/panel.tsx';
import { linkTo } from '../route.ts';
import { whenText } from '../text/clock.ts';
import { bytesText, durationText } from '../text/units.ts';
import { bandText, fan, firstForecast, type Forecast } from './forecast-shape.ts';

const size = { width: 480, height: 130, nowX: 150 };

/** The floor and when it meets the limit, with the band of doubt. */
export function ForecastPanel({ shown }: { readonly shown: Frame }): JSX.Element {
  const forecast = firstForecast(shown.findings);
  const { floor, floorAgeMs, majors } = shown.reading;
  return (
    <Panel
      title="Floor and forecast"
      aside={
        floor === undefined
          ? 'no major GC yet'
          : `floor ${bytesText(floor)}, ${durationText(floorAgeMs ?? 0)} old`
      }
    >
      {forecast === undefined ? (
        <NoForecast shown={shown} majors={majors} />
      ) : (
        <Fan shown={shown} forecast={forecast} />
      )}
    </Panel>
  );
}

function NoForecast({ shown, majors }: { readonly shown: Frame; readonly majors: number }): JSX.Element {
  const heap = shown.growth?.channels.heap;
  return (
    <div class="calm">
      <p class="calm-word">No exhaustion in sight</p>
      <p class="muted">
        {heap === undefined || heap.shape === 'few'
          ? `The floor is what is left after a major GC; ${majors} so far. A few more, and growth can be told from noise.`
          : heap.shape === 'flat'
            ? `${heap.floors} floors looked at: they do not rise.`
            : heap.shape === 'settling'
              ? `${heap.floors} floors looked at: they rose by ${bytesText(heap.growthBytes)} and settle.`
              : `${heap.floors} floors looked at: they rose by ${bytesText(heap.growthBytes)}; not yet certain enough for a forecast.`}
      </p>
    </div>
  );
}

function Fan({ shown, forecast }: { readonly shown: Frame; readonly forecast: Forecast }): JSX.Element {
  void seriesRevision.value;
  const { limit } = shown.reading;
  const drawn = fan(series.column('floor'), limit, forecast, size);
  const text =
    forecast.ms <= 0
      ? 'The limit is reached'
      : `Limit reached in ${durationText(forecast.ms)}, ${bandText(forecast)}`;
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
        <span>last ten minutes</span>
        <span>now</span>
        <span>limit {bytesText(limit)}</span>
      </div>
      <p class="forecast-text">
        <strong class="num">
          {forecast.ms <= 0 ? 'the limit is reached' : `in ${durationText(forecast.ms)}`}
        </strong>{' '}
        {forecast.ms <= 0 ? null : (
          <span class="muted num">
            ({bandText(forecast)}), {whenText(now.value + forecast.ms, now.value)}
          </span>
        )}
      </p>
      <p class="muted">
        by{' '}
        <a href={linkTo('findings', { id: forecast.finding.id })}>
          {forecast.finding.kind} in {forecast.finding.scope}
        </a>
        {forecast.finding.rate === undefined ? '' : `, ${bytesText(forecast.finding.rate)} per hour`}
      </p>
    </div>
  );
}
