import type { JSX } from 'preact';
import type { Forecast, Frame } from '@plimsoll/host/protocol/frame';
import { forecastOf } from '../live/frame-parts.ts';
import { isHistorical, now, series, seriesRevision } from '../live/state.ts';
import { Panel } from '../part/panel.tsx';
import { linkTo } from '../shell/route.ts';
import { whenText } from '../text/clock.ts';
import { bandText } from '../text/forecast-text.ts';
import { bytesText, durationText } from '../text/units.ts';
import { fan, growthText, growthTitle } from './forecast-shape.ts';

const size = { width: 480, height: 130, nowX: 150 };

const sourceNames: Readonly<Record<Forecast['source'], string>> = {
  heap: 'the V8 heap',
  external: 'external memory',
  native: 'native memory',
  rss: 'resident memory',
};

/** Whether memory grows and when the limit is reached, by the detector of the process. The page computes no forecast itself. */
export function ForecastPanel({ shown }: { readonly shown: Frame }): JSX.Element {
  void seriesRevision.value;
  const { floor, floorAgeMs } = shown.reading;
  const forecast = forecastOf(shown);
  return (
    <Panel
      title="Growth"
      aside={
        floor === undefined
          ? 'no major GC yet'
          : `${bytesText(floor)} stayed after the last major GC, ${durationText(floorAgeMs ?? 0)} ago`
      }
    >
      {forecast === null ? <NoForecast shown={shown} /> : <Fan shown={shown} forecast={forecast} />}
    </Panel>
  );
}

/** The line that rises towards the limit that binds: the floor for the heap, the used bytes for other limits. */
function lineOf({ limits }: Frame): readonly (number | null)[] {
  return series.column(limits.source === 'heap' ? 'floor' : 'used');
}

function NoForecast({ shown }: { readonly shown: Frame }): JSX.Element {
  return (
    <div class="calm">
      <p class="calm-word">{isHistorical.value ? 'It has ended' : growthTitle(shown)}</p>
      <p class="muted">
        {isHistorical.value ? 'The ledger keeps floors and no forecasts.' : growthText(shown)}
      </p>
    </div>
  );
}

/** Time range of the left part. */
function pastMs(): number {
  const at = series.column('at');
  return ((at.at(-1) ?? 0) - (at[0] ?? 0)) * 1000;
}

function Fan({ shown, forecast }: { readonly shown: Frame; readonly forecast: Forecast }): JSX.Element {
  const { limit } = shown.reading;
  // An open end is Infinity in the process and null in JSON.
  const told = { ...forecast, high: (forecast.high as number | null) ?? Infinity };
  const drawn = fan(lineOf(shown), limit, told, size);
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
        <strong class="num">
          {told.ms <= 0 ? 'The limit is reached' : `Full in ${durationText(told.ms)}`}
        </strong>{' '}
        {told.ms <= 0 ? null : (
          <span class="muted num">
            ({bandText(told)}), about {whenText(now.value + told.ms, now.value)}
          </span>
        )}
      </p>
      <p class="muted">
        if {sourceNames[told.source]} goes on growing by {bytesText(told.bytesPerHour)} per hour.{' '}
        <a href={linkTo('findings')}>What grows</a>
      </p>
    </div>
  );
}
