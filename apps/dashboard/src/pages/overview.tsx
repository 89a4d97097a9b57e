import type { JSX } from 'preact';
import type { Frame } from '../../../../packages/host/src/protocol/api.ts';
import { ForecastPanel } from '../overview/forecast.tsx';
import { LoopChart, GcChart, MemoryChart } from '../overview/charts.tsx';
import { MetricTiles } from '../overview/metrics.tsx';
import { HeaviestScopes, NewestActions, NewestFindings, ToDecide } from '../overview/newest.tsx';
import { SourceList } from '../overview/sources.tsx';
import { frame, isHistorical, now } from '../live/state.ts';
import { Hull } from '../part/waterline.tsx';
import { LevelBadge } from '../part/badge.tsx';
import { Panel } from '../part/panel.tsx';
import { formatByteSize as bytesText } from '../../../../packages/core/src/units/byte-size.ts';
import { countText } from '../text/units.ts';
import { formatDuration as durationText } from '../../../../packages/core/src/units/duration.ts';

/** One look: how full, by whom, whether it grows, what was done, what waits for a person. */
export function OverviewPage(): JSX.Element {
  const shown = frame.value as Frame;
  return (
    <div class="overview">
      <Hero shown={shown} />
      <MetricTiles shown={shown} />
      <div class="pair">
        <SourceList shown={shown} />
        <ForecastPanel shown={shown} />
      </div>
      <div class="pair">
        <Panel title="Garbage collection" aside={gcAside(shown)}>
          <GcChart />
        </Panel>
        <Panel title="Event loop delay" aside={`now ${durationText(shown.reading.loopDelayMs)}`}>
          <LoopChart />
        </Panel>
      </div>
      <div class="pair">
        <ToDecide shown={shown} />
        <HeaviestScopes shown={shown} />
        <NewestFindings shown={shown} />
        <NewestActions shown={shown} />
      </div>
    </div>
  );
}

function gcAside({ reading }: Frame): string {
  return `${countText(reading.majors)} major since the start`;
}

function Hero({ shown }: { readonly shown: Frame }): JSX.Element {
  const { reading, level, limits, unattributedBytes, watermark } = shown;
  return (
    <section class="hero panel" aria-label="Used of limit">
      <div class="hero-hull">
        <Hull used={reading.used} limit={reading.limit} level={level} />
      </div>
      <div class="hero-facts">
        <p class="hero-level">
          <LevelBadge level={level} />
          <span class="muted">for {durationText(Math.max(0, now.value - levelSince(shown)))}</span>
        </p>
        <p class="hero-used num">
          {bytesText(reading.used)} <span class="muted">of {bytesText(reading.limit)}</span>
        </p>
        <p class="muted">{limits.text}</p>
        <dl class="facts num">
          <div>
            <dt>highest</dt>
            <dd>{bytesText(watermark.usedBytes)}</dd>
          </div>
          <div>
            <dt>in scopes</dt>
            <dd>
              {countText(shown.scopeCount)} <span class="muted">open</span>
            </dd>
          </div>
          <div>
            <dt>in no scope</dt>
            <dd>{unattributedBytes === null ? '–' : bytesText(unattributedBytes)}</dd>
          </div>
          <div>
            <dt>running</dt>
            <dd>{durationText(Math.max(0, now.value - shown.startedAt))}</dd>
          </div>
          <div>
            <dt>mode</dt>
            <dd>{shown.policy.mode}</dd>
          </div>
          <div>
            <dt>Plimsoll</dt>
            <dd>
              {isHistorical.value ? '–' : bytesText(reading.self.bytes)}{' '}
              {isHistorical.value ? null : (
                <span class="muted">{(reading.self.cpuRatio * 100).toFixed(1)} % of a core</span>
              )}
            </dd>
          </div>
        </dl>
      </div>
      <div class="hero-chart">
        <MemoryChart />
      </div>
    </section>
  );
}

function levelSince(shown: Frame): number {
  const last = shown.levels.findLast((row) => row.scope === 'process');
  return last?.at ?? shown.startedAt;
}
