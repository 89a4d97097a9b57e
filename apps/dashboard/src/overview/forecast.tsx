import type { JSX } from 'preact';
import type { Frame } from '../../../../packages/plimsoll/src/server/api.ts';
import { isHistorical, now, series, seriesRevision } from '../live/state.ts';
import { Panel } from '../part/panel.tsx';
import { linkTo } from '../route.ts';
import { whenText } from '../text/clock.ts';
import { bytesText, durationText } from '../text/units.ts';
import { bandText, fan, firstForecast, floorText, type Forecast } from './forecast-shape.ts';

const size = { width: 480, height: 130, nowX: 150 };

/** The floor and when it meets the limit, with the band of doubt. */
export function ForecastPanel({ shown }: { readonly shown: Frame }): JSX.Element {
  const forecast = firstForecast(shown.findings);
  const { floor, floorAgeMs } = shown.reading;
  return (
    <Panel
      title="Floor and forecast"
      aside={
        floor === undefined
          ? 'no major GC yet'
          : `floor ${bytesText(floor)}, ${durationText(floorAgeMs ?? 0)} old`
      }
    >
      {forecast === undefined ? <NoForecast shown={shown} /> : <Fan shown={shown} forecast={forecast} />}
    </Panel>
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
