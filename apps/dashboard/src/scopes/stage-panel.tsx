import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Frame, StageCallRow, StageRunRow } from '@plimsoll/host/protocol/frame';
import { stageRunsOf } from '../live/frame-parts.ts';
import { Panel } from '../part/panel.tsx';
import { timeText } from '../text/clock.ts';
import { bytesText, durationText, plural } from '../text/units.ts';
import { Table } from '../part/table.tsx';

/** The stages of one tracked run as a waterfall: when each ran, and the bytes that it kept. Nothing without tracked stages. */
export function StagePanel({ shown }: { readonly shown: Frame }): JSX.Element | null {
  const [chosen, choose] = useState<string>('');
  const runs = stageRunsOf(shown);
  const run = runs.find((each) => keyOf(each) === chosen) ?? runs[0];
  if (run === undefined) return null;
  return (
    <Panel title="Stages of one run" aside={plural(runs.length, 'run')}>
      <label class="field stage-run">
        <span>Run</span>
        <select value={keyOf(run)} onChange={(event) => choose(event.currentTarget.value)}>
          {runs.map((each) => (
            <option key={keyOf(each)} value={keyOf(each)}>
              {timeText(each.at)} {each.path.replace(/^process\//, '')}, kept {bytesText(each.kept)}
              {each.isHeaviest ? ' (the most so far)' : ''}
            </option>
          ))}
        </select>
      </label>
      <p class="muted num">
        {plural(run.calls.length + run.more, 'call')} in {durationText(run.durationMs)}, kept{' '}
        {bytesText(run.kept)}
        {run.more === 0 ? '' : `; the first ${run.calls.length} are shown`}
      </p>
      <Waterfall run={run} />
    </Panel>
  );
}

const keyOf = ({ path, at }: StageRunRow): string => `${at} ${path}`;

function Waterfall({ run }: { readonly run: StageRunRow }): JSX.Element {
  const spanMs = Math.max(1, ...run.calls.map(({ startMs, durationMs }) => startMs + durationMs));
  const most = Math.max(1, ...run.calls.map(({ kept }) => Math.abs(kept)));
  return (
    <Table
      label="Stages by time and bytes"
      columns={['Stage', 'When', 'Took', 'Kept', 'Bytes', 'Peak']}
      right={['Took', 'Bytes', 'Peak']}
      class="stages"
    >
      {run.calls.map((call, index) => (
        <Line key={index} call={call} spanMs={spanMs} most={most} />
      ))}
    </Table>
  );
}

interface LineProps {
  readonly call: StageCallRow;
  readonly spanMs: number;
  readonly most: number;
}

function Line({ call, spanMs, most }: LineProps): JSX.Element {
  const { stage, startMs, durationMs, ok, kept, peak } = call;
  const percent = (share: number): string => `${100 * share}%`;
  return (
    <tr>
      <th scope="row">
        <code>{stage}</code>
        {ok ? null : <span class="stage-failed"> failed</span>}
      </th>
      <td class="stage-lane" aria-hidden="true">
        <span
          class={ok ? 'stage-time' : 'stage-time failed'}
          style={{ left: percent(startMs / spanMs), width: percent(durationMs / spanMs) }}
        />
      </td>
      <td class="num right">{durationText(durationMs)}</td>
      <td class="stage-lane" aria-hidden="true">
        <span
          class={kept < 0 ? 'stage-bytes freed' : 'stage-bytes'}
          style={{ width: percent(Math.abs(kept) / most) }}
        />
      </td>
      <td class="num right">
        {kept < 0 ? '−' : ''}
        {bytesText(Math.abs(kept))}
      </td>
      <td class="num right">{bytesText(peak)}</td>
    </tr>
  );
}
