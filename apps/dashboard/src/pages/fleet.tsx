import type {
  FleetAnswer,
  FleetApprovalsAnswer,
  FleetFinding,
  FleetFindingsAnswer,
  FleetProcess,
  FleetProcessesAnswer,
  HeatMap,
} from '@plimsoll/host/protocol/fleet';
import type { Severity } from '@plimsoll/host/protocol/frame';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { fullIn, headline, lastWord } from '../fleet/fleet-text.ts';
import { DecidedApprovals, OpenApprovals } from '../fleet/fleet-approvals.tsx';
import { HeatMapView } from '../fleet/heat-map.tsx';
import { OneProcess } from '../fleet/one-process.tsx';
import { Rollouts } from '../fleet/rollouts.tsx';
import { useQuery } from '../live/query.ts';
import { clock } from '../live/state.ts';
import { LevelBadge, SeverityBadge, WordBadge } from '../part/badge.tsx';
import { Empty, Panel, Refused } from '../part/panel.tsx';
import { linkTo, route } from '../shell/route.ts';
import { bytesText, percentText } from '../text/units.ts';
import { Table } from '../part/table.tsx';

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
  const [hours, setHours] = useState(6);
  const { answer: heat } = useQuery<HeatMap>(
    'api/fleet/heat',
    { release: release || undefined, hours },
    4 * everyMs,
  );
  const { answer: approvals, again } = useQuery<FleetApprovalsAnswer>('api/fleet/approvals', {}, everyMs);
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
      <OpenApprovals rows={approvals?.rows ?? []} onDone={again} />
      <Findings />
      {heat === null || heat.rows.length === 0 ? null : (
        <Panel
          title="Pressure over time"
          aside={
            <label class="field">
              <span>{heat.rows.length} most endangered, the last</span>
              <select value={hours} onChange={(event) => setHours(Number(event.currentTarget.value))}>
                <option value={6}>6 hours</option>
                <option value={24}>24 hours</option>
                <option value={168}>7 days</option>
                <option value={720}>30 days</option>
              </select>
            </label>
          }
        >
          <HeatMapView map={heat} now={clock.value} />
        </Panel>
      )}
      <Processes release={release} total={summary.processes} />
      <Rollouts everyMs={4 * everyMs} />
      <DecidedApprovals rows={approvals?.rows ?? []} />
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
      <Table
        label="Processes by danger"
        columns={['Level', 'Process', 'Release', 'Pressure', 'Used', 'Full', 'Policy', 'Last word']}
        right={['Pressure', 'Used', 'Full']}
      >
        {rows.map((row) => (
          <ProcessLine key={row.id} row={row} />
        ))}
      </Table>
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
      <td class="right num">{fullIn(row, clock.value)}</td>
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
