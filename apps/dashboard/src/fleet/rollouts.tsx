import type { FleetPoliciesAnswer, RolloutBody, RolloutState } from '@plimsoll/host/protocol/fleet';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useQuery } from '../live/query.ts';
import { useSending } from '../live/sending.ts';
import { clock, session } from '../live/state.ts';
import { Panel, Refused } from '../part/panel.tsx';
import { whenText } from '../text/clock.ts';
import { percentText } from '../text/units.ts';
import { Table } from '../part/table.tsx';

/** Policies of each service: the state of the groups, earlier roll-outs, and the next step. */
export function Rollouts({ everyMs }: { readonly everyMs: number }): JSX.Element | null {
  const { answer, again } = useQuery<FleetPoliciesAnswer>('api/fleet/policies', {}, everyMs);
  const services = answer?.services ?? [];
  if (services.length === 0) return null;
  return (
    <Panel title="Policy roll-outs">
      {services.map((state) => (
        <Rollout key={state.service} state={state} onDone={again} />
      ))}
    </Panel>
  );
}

function Rollout({
  state,
  onDone,
}: {
  readonly state: RolloutState;
  readonly onDone: () => void;
}): JSX.Element {
  const [step] = state.steps;
  return (
    <div class="rollout">
      <p>
        <strong>{state.service}</strong>
        {step === undefined
          ? ': no policy was rolled out, so every process uses its own file'
          : `: version ${step.version} in mode ${step.mode} at ${percentText(step.share)}`}
      </p>
      {state.groups.length === 0 ? null : <Groups state={state} />}
      {session.value?.fleetRole === 'admin' ? <NextStep state={state} onDone={onDone} /> : null}
      {state.steps.length === 0 ? null : <Steps state={state} />}
    </div>
  );
}

function Groups({ state }: { readonly state: RolloutState }): JSX.Element {
  return (
    <Table
      label="Groups of processes by policy"
      columns={['Policy', 'Mode', 'Live', 'Critical or worse', 'Shed', 'Deaths', 'Pressure']}
      right={['Live', 'Critical or worse', 'Shed', 'Deaths', 'Pressure']}
    >
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
    </Table>
  );
}

/** The steps of a roll-out, with person, time and origin. */
function Steps({ state }: { readonly state: RolloutState }): JSX.Element {
  return (
    <details>
      <summary>{state.steps.length === 1 ? '1 step' : `${state.steps.length} steps`}</summary>
      <ul class="rows">
        {state.steps.map((step) => (
          <li key={step.at} class="row-link">
            <span class="grow">
              version {step.version}, {step.mode} at {percentText(step.share)}{' '}
              <span class="muted">
                by {step.by}
                {step.origin === '' ? '' : ` from ${step.origin}`}
              </span>
            </span>
            <span class="num muted">{whenText(step.at, clock.value)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A form with a confirmation, because one step changes many processes. */
function NextStep({
  state,
  onDone,
}: {
  readonly state: RolloutState;
  readonly onDone: () => void;
}): JSX.Element | null {
  const { service, versions, steps } = state;
  const [version, setVersion] = useState(steps[0]?.version ?? versions[0]?.version ?? 0);
  const [mode, setMode] = useState<RolloutBody['mode']>('shadow');
  const [percent, setPercent] = useState(100);
  const [asked, setAsked] = useState(false);
  const { busy, error, send } = useSending();
  if (versions.length === 0) return null;
  const edit = (change: () => void): void => {
    setAsked(false);
    change();
  };
  const rollOut = async (): Promise<void> => {
    const body: RolloutBody = { service, version, mode, share: percent / 100 };
    if (await send('api/fleet/rollouts', body)) onDone();
    setAsked(false);
  };
  return (
    <form
      class="decide"
      aria-label={`Next step of ${service}`}
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
      }}
    >
      <label class="field">
        <span>Version</span>
        <select
          value={version}
          onChange={(event) => edit(() => setVersion(Number(event.currentTarget.value)))}
        >
          {versions.map((each) => (
            <option key={each.version} value={each.version}>
              {each.version} by {each.by}, {whenText(each.at, clock.value)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Mode</span>
        <select
          value={mode}
          onChange={(event) => edit(() => setMode(event.currentTarget.value as RolloutBody['mode']))}
        >
          <option value="shadow">shadow: only say what it would do</option>
          <option value="enforce">enforce</option>
        </select>
      </label>
      <label class="field">
        <span>Percent of processes</span>
        <input
          type="number"
          min={0}
          max={100}
          step={1}
          value={percent}
          onInput={(event) =>
            edit(() => setPercent(Math.max(0, Math.min(100, Number(event.currentTarget.value)))))
          }
        />
      </label>
      {asked ? (
        <span class="really">
          Version {version} in mode {mode} at {percent} % of the processes of {service}?{' '}
          <button type="button" class="approve" disabled={busy} onClick={() => void rollOut()}>
            Yes, roll it out
          </button>{' '}
          <button type="button" disabled={busy} onClick={() => setAsked(false)}>
            No
          </button>
        </span>
      ) : (
        <button type="submit">Roll out</button>
      )}
      {error === null ? null : <Refused error={error} />}
    </form>
  );
}
