import type uPlot from 'uplot';
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AuditAnswer, HistoryAnswer, AuditRow } from '@plimsoll/host/protocol/api';
import { scaleTop } from '../chart/axis.ts';
import { Chart, type Line } from '../chart/chart.tsx';
import { EntryList } from '../history/entry-list.tsx';
import { drawn, keyed, moved, zoomed, type TimeWindow } from '../history/window.ts';
import { get } from '../live/api.ts';
import { useQuery } from '../live/query.ts';
import { Empty, Panel, Refused } from '../part/panel.tsx';
import { dateText } from '../text/clock.ts';
import { bytesText, durationText } from '../text/units.ts';
import { colour } from '../chart/palette.ts';

const tones: Readonly<Record<string, string>> = {
  level: 'warning',
  finding: 'emergency',
  action: 'water',
  approval: 'floor',
  start: 'muted',
  exit: 'muted',
};

/** Draws a mark at the bottom of the chart for every entry of the ledger. */
function markOverlay(entries: readonly AuditRow[]): (plot: uPlot) => void {
  return (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    for (const { at, kind } of entries) {
      const x = Math.round(plot.valToPos(at / 1000, 'x', true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.fillStyle = colour(tones[kind] ?? 'muted');
      ctx.fillRect(x - 1, bbox.top + bbox.height - 12, 2, 12);
    }
    ctx.restore();
  };
}

const points = 800;
const none: AuditAnswer['entries'] = [];

const lines: readonly Line[] = [
  { label: 'limit', colour: 'limit', dash: [6, 4] },
  { label: 'highest used', colour: 'peak', width: 1 },
  { label: 'used', colour: 'water', fill: 'water-fill', width: 1.5 },
  { label: 'heap after GC', colour: 'floor', width: 1.5 },
  { label: 'resident (RSS)', colour: 'rss', width: 1 },
];

const spans: readonly { readonly word: string; readonly ms: number }[] = [
  { word: '10 m', ms: 600_000 },
  { word: '1 h', ms: 3_600_000 },
  { word: '6 h', ms: 21_600_000 },
  { word: '1 d', ms: 86_400_000 },
  { word: '7 d', ms: 604_800_000 },
  { word: '30 d', ms: 2_592_000_000 },
];

/** The history in the ledger, up to a month. Dragging or keys zoom in. */
export function HistoryPage(): JSX.Element {
  const { answer: whole, error } = useQuery<HistoryAnswer>('api/history', { points }, 30_000);
  if (error !== null && whole === null) return <NoHistory error={error} />;
  if (whole === null) return <Empty title="Reading the ledger" />;
  if (whole.rows.length < 2) return <NoHistory error={error} />;
  return <Ledger whole={whole} />;
}

function Ledger({ whole }: { readonly whole: HistoryAnswer }): JSX.Element {
  const [span, setSpan] = useState<TimeWindow | null>(null);
  const [detail, setDetail] = useState<HistoryAnswer | null>(null);
  const limits: TimeWindow = { from: whole.from, to: whole.to };
  const shown = span ?? limits;
  useEffect(() => {
    if (span === null) return setDetail(null);
    const gone = new AbortController();
    const query = { from: Math.round(span.from), to: Math.round(span.to), points };
    get<HistoryAnswer>('api/history', query, gone.signal).then(setDetail, () => {});
    return () => gone.abort();
  }, [span]);
  // Until the detailed rows arrive, the existing ones are drawn in the new range, so that zooming never waits.
  const rows = (detail ?? whole).rows;
  const data = useMemo(() => dataOf(rows), [rows]);
  const { answer: audit } = useQuery<AuditAnswer>('api/audit', {
    from: Math.round(shown.from),
    to: Math.round(shown.to),
    limit: 500,
  });
  const entries = audit?.entries ?? none;
  const overlay = useMemo(() => markOverlay(entries), [entries]);
  const go = (next: TimeWindow): void =>
    setSpan(next.from <= limits.from && next.to >= limits.to ? null : next);
  return (
    <div class="history">
      <Panel
        title={`${dateText(shown.from)} to ${dateText(shown.to)}`}
        aside={<Controls shown={shown} limits={limits} go={go} />}
      >
        <div
          class="zoom-box"
          tabIndex={0}
          role="group"
          aria-busy={span !== null && detail?.from !== Math.round(span.from)}
          aria-label="History chart. Plus and minus zoom, arrow keys move, 0 shows everything."
          onKeyDown={(event) => {
            const next = keyed(event.key, shown, limits);
            if (next === undefined) return;
            event.preventDefault();
            go(next);
          }}
        >
          <Chart
            label={`Memory from ${dateText(shown.from)} to ${dateText(shown.to)}`}
            data={data}
            lines={lines}
            height={340}
            text={bytesText}
            isBytes
            top={scaleTop(data[1] ?? [], data.slice(2))}
            range={[shown.from / 1000, shown.to / 1000]}
            onRange={(from, to) => go(drawn(from * 1000, to * 1000, limits))}
            overlay={overlay}
          />
        </div>
        <p class="muted zoom-note">
          {durationText(shown.to - shown.from)}, one point per {wordOf(detail ?? whole)}. Drag over the chart
          or use + − ← → and 0. Ticks at its foot are levels, findings and actions.
        </p>
      </Panel>
      <EntryList title="What happened" entries={entries} more={audit?.more === true} />
    </div>
  );
}

function wordOf({ resolution, stepMs }: HistoryAnswer): string {
  return stepMs > 0 ? durationText(stepMs) : resolution;
}

function dataOf(rows: HistoryAnswer['rows']): uPlot.AlignedData {
  return [
    rows.map((row) => row.at / 1000),
    rows.map((row) => row.limit),
    rows.map((row) => row.usedMax),
    rows.map((row) => row.used),
    rows.map((row) => row.floor),
    rows.map((row) => row.rss),
  ] as unknown as uPlot.AlignedData;
}

interface ControlProps {
  readonly shown: TimeWindow;
  readonly limits: TimeWindow;
  readonly go: (span: TimeWindow) => void;
}

function Controls({ shown, limits, go }: ControlProps): JSX.Element {
  const whole = limits.to - limits.from;
  return (
    <div class="controls">
      {spans
        .filter(({ ms }) => ms < whole)
        .map(({ word, ms }) => (
          <button type="button" key={word} onClick={() => go({ from: limits.to - ms, to: limits.to })}>
            {word}
          </button>
        ))}
      <button type="button" onClick={() => go(limits)}>
        all
      </button>
      <button type="button" aria-label="earlier" onClick={() => go(moved(shown, -0.25, limits))}>
        ←
      </button>
      <button type="button" aria-label="later" onClick={() => go(moved(shown, 0.25, limits))}>
        →
      </button>
      <button type="button" aria-label="closer" onClick={() => go(zoomed(shown, 0.5, limits))}>
        +
      </button>
      <button type="button" aria-label="farther" onClick={() => go(zoomed(shown, 2, limits))}>
        −
      </button>
    </div>
  );
}

function NoHistory({
  error,
}: {
  readonly error: Parameters<typeof Refused>[0]['error'] | null;
}): JSX.Element {
  return (
    <>
      {error === null ? null : <Refused error={error} />}
      <Empty title="No history yet">
        <p>
          The ledger keeps one row per reading and makes them coarser with age: a month stays readable. It is
          on unless --no-ledger was given:
        </p>
        <pre>plimsoll run --ledger .plimsoll/ledger -- node server.js</pre>
      </Empty>
    </>
  );
}
