import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Explanation, ScopeHistoryAnswer } from '@plimsoll/host/protocol/api';
import type { ScopeRow } from '@plimsoll/host/protocol/frame';
import { Chart, type Line } from '../chart/chart.tsx';
import { useQuery } from '../live/query.ts';
import { ageOf, idleOf, type KnownScope } from '../live/known-scopes.ts';
import { frame, isHistorical, now, scopes, scopesRevision } from '../live/state.ts';
import { LevelBadge } from '../part/badge.tsx';
import { Empty, Panel, Refused } from '../part/panel.tsx';
import { Waterline } from '../part/waterline.tsx';
import { ExplainTable } from '../part/explain-table.tsx';
import { QuarantinePanel } from '../scopes/quarantine.tsx';
import { linkTo, route } from '../shell/route.ts';
import { parentOf } from '../text/scope-path.ts';
import { bytesText, durationText, usedOfText } from '../text/units.ts';

const lines: readonly Line[] = [
  { label: 'most', colour: 'floor', width: 1 },
  { label: 'bytes', colour: 'water', fill: 'water-fill', width: 2 },
];

/** One scope: its bytes, its budget with the explanation, its history and its children. */
export function ScopePage(): JSX.Element {
  const path = route.value.query['path'] ?? 'process';
  void scopesRevision.value;
  const known = scopes.get(path);
  return (
    <div class="scope">
      <nav class="crumbs" aria-label="Path of the scope">
        {ways(path).map((each) => (
          <a class="crumb" key={each} href={linkTo('scope', { path: each })}>
            {each.slice((parentOf(each) ?? '').length).replace(/^\//, '')}
          </a>
        ))}
      </nav>
      {known === undefined ? <Gone path={path} /> : <Facts known={known} />}
      {known === undefined ? null : <QuarantinePanel path={path} />}
      <History path={path} />
      <div class="pair">
        <Inside path={path} />
        <Budget path={path} />
      </div>
    </div>
  );
}

/** All outer paths, root first. */
function ways(path: string): readonly string[] {
  const parent = parentOf(path);
  return parent === undefined ? [path] : [...ways(parent), path];
}

function Gone({ path }: { readonly path: string }): JSX.Element {
  const peak = frame.value?.peaks.find((row) => row.path === path);
  return (
    <Empty title={isHistorical.value ? 'Not among the last known scopes' : 'Closed, or never opened'}>
      <p>
        <code>{path}</code> is not open now.{' '}
        {peak === undefined
          ? 'Its history from the ledger is below.'
          : `The most it held was ${bytesText(peak.peakBytes)}.`}
      </p>
    </Empty>
  );
}

function Facts({ known }: { readonly known: KnownScope }): JSX.Element {
  const { row } = known;
  return (
    <section class="panel scope-facts" aria-label="Now">
      <p class="hero-used num">
        {row.measuredAt === null && row.bytes === 0 ? '?' : bytesText(row.bytes)}{' '}
        {row.budgetBytes === null ? (
          <span class="muted">no budget</span>
        ) : (
          <span class="muted">of {bytesText(row.budgetBytes)}</span>
        )}{' '}
        <LevelBadge level={row.level} />
      </p>
      {row.budgetBytes === null ? null : (
        <Waterline label="budget" used={row.bytes} limit={row.budgetBytes} level={row.level} />
      )}
      <dl class="facts num">
        <div>
          <dt>peak</dt>
          <dd>{bytesText(row.peakBytes)}</dd>
        </div>
        <div>
          <dt>age</dt>
          <dd>{durationText(ageOf(known, now.value))}</dd>
        </div>
        <div>
          <dt>idle</dt>
          <dd>{durationText(idleOf(known, now.value))}</dd>
        </div>
        <div>
          <dt>leases</dt>
          <dd>{row.leases === 0 ? 'none: it may be evicted' : row.leases}</dd>
        </div>
        <div>
          <dt>known by</dt>
          <dd>{knownText(row, now.value)}</dd>
        </div>
      </dl>
    </section>
  );
}

/** The source of the bytes, the time of the measurement and its uncertainty. */
function knownText({ by, bytes, measuredAt, spread }: ScopeRow, now: number): string {
  if (measuredAt === null && bytes === 0) return 'not measured yet';
  if (by !== 'census') return 'what keepers charged';
  const age = measuredAt === null ? '' : ` ${durationText(Math.max(0, now - measuredAt))} ago`;
  const range = spread === null ? '' : `, between ${bytesText(spread.low)} and ${bytesText(spread.high)}`;
  return `walking its objects${age}${range}`;
}

function History({ path }: { readonly path: string }): JSX.Element {
  const { answer, error } = useQuery<ScopeHistoryAnswer>('api/scopes/history', { path, points: 600 }, 5000);
  const data = useMemo(() => {
    const rows = answer?.rows ?? [];
    return [
      rows.map((row) => row.at / 1000),
      rows.map((row) => row.maxBytes),
      rows.map((row) => row.bytes),
    ] as unknown as uPlot.AlignedData;
  }, [answer]);
  return (
    <Panel
      title="What it held"
      aside={answer === null ? '' : `by ${answer.resolution === 'raw' ? 'reading' : answer.resolution}`}
    >
      {error === null ? null : <Refused error={error} />}
      {answer !== null && answer.rows.length < 2 ? (
        <Empty title="No history yet">
          <p>
            The ledger keeps the heaviest scopes of each reading. A scope that stays small leaves no trace.
          </p>
        </Empty>
      ) : (
        <Chart
          label={`Bytes of ${path} over time`}
          data={data}
          lines={lines}
          height={200}
          text={bytesText}
          isBytes
        />
      )}
    </Panel>
  );
}

function Inside({ path }: { readonly path: string }): JSX.Element {
  void scopesRevision.value;
  const inside = [...scopes.values()]
    .filter(({ row }) => parentOf(row.path) === path)
    .sort((a, b) => b.row.bytes - a.row.bytes);
  return (
    <Panel title="Directly inside" aside={`${inside.length} open`}>
      {inside.length === 0 ? (
        <Empty title="Nothing is open inside" />
      ) : (
        <ul class="rows">
          {inside.slice(0, 12).map(({ row }) => (
            <li key={row.path}>
              <a class="row-link" href={linkTo('scope', { path: row.path })}>
                <span class="grow">
                  <code>{row.path.slice(path.length + 1)}</code>
                </span>
                <span class="num">
                  {row.budgetBytes === null ? bytesText(row.bytes) : usedOfText(row.bytes, row.budgetBytes)}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Budget({ path }: { readonly path: string }): JSX.Element {
  const { answer, error } = useQuery<Explanation>('api/policy/explain', { scope: path });
  return (
    <Panel title="Why this budget" aside={<a href={linkTo('policy', { scope: path })}>policy</a>}>
      {error === null ? null : <Refused error={error} />}
      {answer === null ? null : <ExplainTable explanation={answer} />}
    </Panel>
  );
}
