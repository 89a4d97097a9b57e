import type { JSX } from 'preact';
import type { ProcessesAnswer } from '@plimsoll/host/protocol/api';
import { choosePid } from '../live/api.ts';
import { reconnect } from '../live/connect.ts';
import { useQuery } from '../live/query.ts';
import { connection, frame, isHistorical, session } from '../live/state.ts';
import { linkTo } from '../shell/route.ts';
import { dateText } from '../text/clock.ts';
import { setTheme, theme, type Theme } from '../shell/theme.ts';
import { LevelBadge } from './badge.tsx';

/** The shown process, its state, and the state of the connection. */
export function TopBar(): JSX.Element {
  const { state } = connection.value;
  const shown = frame.value;
  const word = state === 'open' ? (isHistorical.value ? 'history' : 'live') : state;
  return (
    <header class="top">
      <a class="brand" href={linkTo('overview')} aria-label="Plimsoll, to the overview">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <circle cx="16" cy="16" r="10" />
          <path d="M1 16h30" />
        </svg>
        <span>Plimsoll</span>
      </a>
      <ProcessChoice />
      <div class="top-end">
        {shown === null ? null : <LevelBadge level={shown.level} />}
        <span class={`line line-${word}`}>{word}</span>
        <label class="theme">
          <span class="unseen">Colours</span>
          <select value={theme.value} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
            <option value="auto">auto</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
      </div>
    </header>
  );
}

function ProcessChoice(): JSX.Element {
  const { answer } = useQuery<ProcessesAnswer>('api/processes', {}, 10_000);
  const processes = answer?.processes ?? [];
  const shown = session.value?.process;
  if (processes.length < 2) {
    return (
      <span class="target" title={frame.value?.target ?? ''}>
        {frame.value === null ? '' : `${frame.value.target}, pid ${frame.value.pid}`}
      </span>
    );
  }
  return (
    <label class="target">
      <span class="unseen">Process</span>
      <select
        value={shown?.id ?? ''}
        onChange={(event) => {
          choosePid(event.currentTarget.value);
          reconnect();
        }}
      >
        {processes.map(({ id, pid, target, state, startedAt }) => (
          <option key={id} value={id}>
            {state === 'running'
              ? `${target}, pid ${pid ?? id}`
              : `${target}, ${state}, began ${dateText(startedAt)}`}
          </option>
        ))}
      </select>
    </label>
  );
}
