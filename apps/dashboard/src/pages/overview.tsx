import type { JSX } from 'preact';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { AutopsyPanel } from '../overview/autopsy.tsx';
import { ForecastPanel } from '../overview/forecast.tsx';
import { LoopChart, GcChart, MemoryChart } from '../overview/charts.tsx';
import { IncidentPanel } from '../overview/incident.tsx';
import { HoldersPanel } from '../overview/holders.tsx';
import { NewestActions, NewestFindings, ToDecide } from '../overview/newest.tsx';
import { SourceList } from '../overview/sources.tsx';
import { frame, isHistorical, now } from '../live/state.ts';
import { Hull } from '../part/waterline.tsx';
import { LevelBadge } from '../part/badge.tsx';
import { Panel } from '../part/panel.tsx';
import { bytesText, durationText, percentText, plural } from '../text/units.ts';
import { linkTo } from '../shell/route.ts';
import { metrics } from '../overview/metric-values.ts';
import { stateOf } from '../overview/signs.ts';

const pageWords: Readonly<Record<string, string>> = {
  actions: 'what was done',
  approvals: 'answer',
  findings: 'what it is',
  history: 'how it came',
};

/** The state of the process in one sentence, and the signs that need attention. */
function StatePanel({ shown }: { readonly shown: Frame }): JSX.Element | null {
  if (isHistorical.value) return null;
  const { tone, title, text, signs } = stateOf(shown);
  return (
    <section class={`panel state tone-${tone}`} aria-label="State">
      <h2 class="state-title">{title}</h2>
      {text === '' ? null : <p class="muted num">{text}</p>}
      {signs.length === 0 ? null : (
        <ul class="signs">
          {signs.map((sign) => (
            <li key={sign.text} class={`sign tone-${sign.tone}`}>
              {sign.text} <a href={linkTo(sign.page)}>{pageWords[sign.page] ?? 'more'}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** How long an ended incident is shown below the state. */
const afterMs = 3_600_000;

/** While an incident lasts, it replaces the state. An incident that ended recently is shown below the state. */
function IncidentOrState({ shown }: { readonly shown: Frame }): JSX.Element | null {
  const { incident } = shown;
  if (incident === null || (incident.endedAt !== null && shown.at - incident.endedAt > afterMs))
    return <StatePanel shown={shown} />;
  return (
    <>
      {incident.outcome === null ? null : <StatePanel shown={shown} />}
      <IncidentPanel incident={incident} />
    </>
  );
}

/** The overview: state, used memory, holders, growth, actions and open approvals. */
export function OverviewPage(): JSX.Element {
  const shown = frame.value as Frame;
  return (
    <div class="overview">
      {isHistorical.value ? <AutopsyPanel /> : null}
      <IncidentOrState shown={shown} />
      <Hero shown={shown} />
      <MetricTiles shown={shown} />
      <div class="pair">
        <ToDecide shown={shown} />
        <NewestFindings shown={shown} />
        <NewestActions shown={shown} />
      </div>
      <div class="pair">
        <HoldersPanel shown={shown} />
        <div class="stack">
          <ForecastPanel shown={shown} />
          <SourceList shown={shown} />
        </div>
      </div>
      <div class="pair">
        <Panel title="Stops for garbage collection" aside={gcAside(shown)}>
          <GcChart />
        </Panel>
        <Panel title="Event loop delay" aside={`now ${durationText(shown.reading.loopDelayMs)}`}>
          <LoopChart />
        </Panel>
      </div>
    </div>
  );
}

function gcAside({ reading }: Frame): string {
  return `${plural(reading.majors, 'major GC')} since the start`;
}

function Hero({ shown }: { readonly shown: Frame }): JSX.Element {
  const { reading, level, watermark } = shown;
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
        <p class="muted num">
          highest {bytesText(watermark.usedBytes)} ({percentText(watermark.usedBytes / reading.limit)})
        </p>
        <dl class="facts num">
          <div>
            <dt>running</dt>
            <dd>{durationText(Math.max(0, now.value - shown.startedAt))}</dd>
          </div>
          <div>
            <dt>mode</dt>
            <dd>{shown.policy.mode}</dd>
          </div>
          <div>
            <dt>Plimsoll itself</dt>
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
        <MemoryChart shown={shown} />
      </div>
    </section>
  );
}

function levelSince(shown: Frame): number {
  const last = shown.levels.findLast((row) => row.scope === 'process');
  return last?.at ?? shown.startedAt;
}

function MetricTiles({ shown }: { readonly shown: Frame }): JSX.Element {
  return (
    <ul class="tiles" aria-label="Six metrics">
      {metrics(shown).map(({ name, value, note, tone, page }) => (
        <li key={name}>
          <a class={`tile tone-${tone}`} href={linkTo(page)}>
            <span class="tile-name">{name}</span>
            <span class="tile-value num">{value}</span>
            <span class="tile-note">{note}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
