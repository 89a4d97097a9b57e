import type {
  FleetAnswer,
  FleetApproval,
  FleetApprovalsAnswer,
  FleetFinding,
  FleetFindingsAnswer,
  FleetPoliciesAnswer,
  FleetProcess,
  FleetProcessAnswer,
  FleetProcessesAnswer,
  HeatMap,
  RolloutState,
} from '@plimsoll/host/protocol/fleet';
import type { Severity } from '@plimsoll/host/protocol/frame';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { fullIn, headline, lastWord } from '../fleet/fleet-text.ts';
import { HeatMapView } from '../fleet/heat-map.tsx';
import { useQuery } from '../live/query.ts';
import { now } from '../live/state.ts';
import { LevelBadge, SeverityBadge, WordBadge } from '../part/badge.tsx';
import { Empty, Panel, Refused } from '../part/panel.tsx';
import { linkTo, route } from '../shell/route.ts';
import { whenText } from '../text/clock.ts';
import { bytesText, durationText, percentText } from '../text/units.ts';

const everyMs = 5000;
const pageRows = 50;

/** The whole fleet, or one process of it. */
export function FleetPage(): JSX.Element {
  const { id } = route.value.query;
  return id === undefined ? <WholeFleet /> : <OneProcess id={id} />;
}

function WholeFleet(): JSX.Element {
  const { answer, error } = useQuery<FleetAnswer>('api/fleet', {}, everyMs);
  const [release, setRelease] = useState('');
  const { answer: heat } = useQuery<HeatMap>(
    'api/fleet/heat',
    { release: release || undefined },
    4 * everyMs,
  );
  if (answer === null)
    return error === null ? <Empty title="Asking the database" /> : <Refused error={error} />;
  const { summary } = answer;
  if (summary.processes === 0)
    return (
      <Empty title="No process has written to this database yet">
        <p>Give a governed process the address of the database:</p>
        <pre>PLIMSOLL_LEDGER_URL=postgres://db.internal/plimsoll</pre>
      </Empty>
    );
  return (
    <div class="fleet">
      {error === null ? null : <Refused error={error} />}
      <p class="fleet-headline">{headline(summary)}</p>
      <label class="field">
        <span>Release</span>
        <select value={release} onChange={(event) => setRelease(event.currentTarget.value)}>
          <option value="">all releases</option>
          {[...new Set(summary.releases.map((row) => row.release))].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Findings />
      {heat === null || heat.rows.length === 0 ? null : (
        <Panel title="Pressure over time" aside={`${heat.rows.length} most endangered`}>
          <HeatMapView map={heat} now={now.value} />
        </Panel>
      )}
      <Processes release={release} total={summary.processes} />
      <Approvals />
      <Policies />
    </div>
  );
}

function Processes({ release, total }: { readonly release: string; readonly total: number }): JSX.Element {
  const [offset, setOffset] = useState(0);
  const { answer } = useQuery<FleetProcessesAnswer>(
    'api/fleet/processes',
    { release: release || undefined, offset, limit: pageRows },
    everyMs,
  );
  const rows = answer?.rows ?? [];
  return (
    <Panel title="Processes" aside={`${total} in the last day, the most endangered first`}>
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th>Level</th>
              <th>Process</th>
              <th>Release</th>
              <th class="right">Pressure</th>
              <th class="right">Used</th>
              <th class="right">Full</th>
              <th>Policy</th>
              <th>Last word</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <ProcessLine key={row.id} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="pager">
        <button
          type="button"
          disabled={offset === 0}
          onClick={() => setOffset(Math.max(0, offset - pageRows))}
        >
          Before
        </button>{' '}
        <span class="num muted">
          {rows.length === 0 ? 'none' : `${offset + 1} to ${offset + rows.length}`}
        </span>{' '}
        <button type="button" disabled={rows.length < pageRows} onClick={() => setOffset(offset + pageRows)}>
          Next
        </button>
      </p>
    </Panel>
  );
}

function ProcessLine({ row }: { readonly row: FleetProcess }): JSX.Element {
  return (
    <tr class={row.state === 'live' ? '' : 'quiet'}>
      <td>{row.state === 'live' ? <LevelBadge level={row.level} /> : <WordBadge word={row.state} />}</td>
      <td>
        <a href={linkTo('fleet', { id: row.id })}>
          {row.host} <span class="muted num">{row.pid}</span>
        </a>
      </td>
      <td>{row.release}</td>
      <td class="right num">{row.pressure === null ? '–' : percentText(row.pressure)}</td>
      <td class="right num">{row.usedBytes === null ? '–' : bytesText(row.usedBytes)}</td>
      <td class="right num">{fullIn(row, now.value)}</td>
      <td>{row.policyVersion === null ? (row.mode ?? '–') : `${row.policyVersion} ${row.mode ?? ''}`}</td>
      <td class="muted">{lastWord(row)}</td>
    </tr>
  );
}

function Findings(): JSX.Element | null {
  const { answer } = useQuery<FleetFindingsAnswer>('api/fleet/findings', {}, 4 * everyMs);
  if (answer === null || answer.rows.length === 0) return null;
  return (
    <Panel title="Findings by release" aside={`${answer.rows.length}`}>
      <ul class="rows">
        {answer.rows.map((row) => (
          <FindingLine key={`${row.service} ${row.fingerprint}`} row={row} />
        ))}
      </ul>
    </Panel>
  );
}

function FindingLine({ row }: { readonly row: FleetFinding }): JSX.Element {
  return (
    <li class="fleet-finding">
      <p>
        <SeverityBadge severity={row.severity as Severity} /> <strong>{row.headline}</strong>
      </p>
      <p>{row.sentence}</p>
      <ul class="release-rows num">
        {row.releases.map((each) => (
          <li key={each.release}>
            <span>{each.release}</span>
            <meter
              min={0}
              max={Math.max(1, each.of)}
              value={each.processes}
              aria-label={`${each.processes} of ${each.of} processes of ${each.release}`}
            />
            <span>
              {each.processes} of {each.of}
              {each.rate === null ? '' : `, ${bytesText(each.rate)} per hour`}
            </span>
          </li>
        ))}
      </ul>
      <p class="muted">{row.fix}</p>
    </li>
  );
}

function Approvals(): JSX.Element | null {
  const { answer } = useQuery<FleetApprovalsAnswer>('api/fleet/approvals', {}, everyMs);
  if (answer === null || answer.rows.length === 0) return null;
  return (
    <Panel title="Approvals" aside={`${answer.rows.filter(({ state }) => state === 'open').length} open`}>
      <ul class="rows">
        {answer.rows.map((row) => (
          <li key={row.id} class="row-link">
            <WordBadge word={row.state} tone={row.state === 'open' ? 'level-warning' : 'level-none'} />
            <span class="grow">
              <strong>{actionOf(row)}</strong> on {row.host}, release {row.release}
              <span class="muted">
                {row.decidedBy === null
                  ? `; without an answer: ${row.defaultAnswer}`
                  : ` by ${row.decidedBy}`}
              </span>
            </span>
            <span class="num muted">
              {row.state === 'open'
                ? `${durationText(Math.max(0, row.deadline - now.value))} left`
                : whenText(row.decidedAt ?? row.asked, now.value)}
            </span>
          </li>
        ))}
      </ul>
      <p class="muted">Decide with the command approvals on the host of the process, or on its own page.</p>
    </Panel>
  );
}

function actionOf({ id, body }: FleetApproval): string {
  const { action } = body;
  return typeof action === 'string' ? action : id;
}

function Policies(): JSX.Element | null {
  const { answer } = useQuery<FleetPoliciesAnswer>('api/fleet/policies', {}, 4 * everyMs);
  const services = (answer?.services ?? []).filter(({ steps }) => steps.length > 0);
  if (services.length === 0) return null;
  return (
    <Panel title="Policy roll-outs">
      {services.map((state) => (
        <Rollout key={state.service} state={state} />
      ))}
    </Panel>
  );
}

function Rollout({ state }: { readonly state: RolloutState }): JSX.Element {
  const [step] = state.steps;
  return (
    <div class="table-scroll">
      <p>
        <strong>{state.service}</strong>
        {step === undefined
          ? ''
          : `: version ${step.version} in mode ${step.mode} at ${percentText(step.share)}, by ${step.by}, ${whenText(step.at, now.value)}`}
      </p>
      <table class="table">
        <thead>
          <tr>
            <th>Policy</th>
            <th>Mode</th>
            <th class="right">Live</th>
            <th class="right">Critical or worse</th>
            <th class="right">Shed</th>
            <th class="right">Deaths</th>
            <th class="right">Pressure</th>
          </tr>
        </thead>
        <tbody>
          {state.groups.map((group) => (
            <tr key={`${group.version} ${group.mode}`}>
              <td>{group.version === null ? 'own file' : `version ${group.version}`}</td>
              <td>{group.mode ?? '–'}</td>
              <td class="right num">{group.live}</td>
              <td class="right num">{group.levels.critical + group.levels.emergency}</td>
              <td class="right num">{group.shed}</td>
              <td class="right num">{group.deaths}</td>
              <td class="right num">{group.pressure === null ? '–' : percentText(group.pressure)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The history of one process, from the database. */
function OneProcess({ id }: { readonly id: string }): JSX.Element {
  const { answer, error } = useQuery<FleetProcessAnswer>('api/fleet/process', { id }, everyMs);
  if (answer === null)
    return error === null ? <Empty title="Asking the database" /> : <Refused error={error} />;
  const { process, points, scopes, entries } = answer;
  return (
    <div class="fleet">
      <p>
        <a href={linkTo('fleet')}>All processes</a>
      </p>
      <Panel title={`${process.host}, process ${process.pid}`} aside={lastWord(process)}>
        <dl class="facts num">
          <Fact name="Level" value={process.level} />
          <Fact name="Pressure" value={process.pressure === null ? '–' : percentText(process.pressure)} />
          <Fact name="Full" value={fullIn(process, now.value)} />
          <Fact name="Service" value={process.service} />
          <Fact name="Release" value={process.release} />
          <Fact name="Started" value={whenText(process.started, now.value)} />
        </dl>
        <Curve points={points} />
      </Panel>
      {scopes.length === 0 ? null : (
        <Panel title="Heaviest scopes">
          <ul class="rows">
            {scopes.slice(0, 20).map((scope) => (
              <li key={scope.path} class="row-link">
                <code class="grow">{scope.path}</code>
                <span class="num">
                  {bytesText(scope.bytes)} <span class="muted">peak {bytesText(scope.peakBytes)}</span>
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {entries.length === 0 ? null : (
        <Panel title="Newest entries">
          <ul class="rows">
            {entries.map((entry) => (
              <li key={`${entry.chain} ${entry.seq}`} class="row-link">
                <WordBadge word={entry.kind} />
                <code class="grow">{entry.scope}</code>
                <span class="num muted">{whenText(entry.at, now.value)}</span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Pressure of one process over the last hours. */
function Curve({ points }: { readonly points: FleetProcessAnswer['points'] }): JSX.Element | null {
  const known = points.filter(({ pressure }) => pressure !== null);
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined || known.length < 2) return null;
  const span = Math.max(1, last.at - first.at);
  const path = known
    .map(({ at, pressure }) => `${((at - first.at) / span) * 1000},${100 - Math.min(1, pressure ?? 0) * 100}`)
    .join(' ');
  return (
    <svg
      class="curve"
      viewBox="0 0 1000 100"
      preserveAspectRatio="none"
      role="img"
      aria-label="Pressure over the last hours"
    >
      <polyline
        points={path}
        fill="none"
        stroke="var(--water)"
        stroke-width="2"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}
