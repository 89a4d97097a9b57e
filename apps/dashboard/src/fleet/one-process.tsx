import type { FleetAutopsyAnswer, FleetProcessAnswer } from '@plimsoll/host/protocol/fleet';
import type { JSX } from 'preact';
import { AutopsyView } from '../overview/autopsy.tsx';
import { choosePid } from '../live/api.ts';
import { reconnect } from '../live/connect.ts';
import { useQuery } from '../live/query.ts';
import { clock } from '../live/state.ts';
import { WordBadge } from '../part/badge.tsx';
import { Empty, Panel, Refused } from '../part/panel.tsx';
import { linkTo } from '../shell/route.ts';
import { whenText } from '../text/clock.ts';
import { bytesText, percentText } from '../text/units.ts';
import { fullIn, lastWord } from './fleet-text.ts';

const everyMs = 5000;

/** The history of one process, from the database. */
export function OneProcess({ id }: { readonly id: string }): JSX.Element {
  const { answer, error } = useQuery<FleetProcessAnswer>('api/fleet/process', { id }, everyMs);
  if (answer === null)
    return error === null ? <Empty title="Asking the database" /> : <Refused error={error} />;
  const { process, points, scopes, entries, live } = answer;
  return (
    <div class="fleet">
      <p>
        <a href={linkTo('fleet')}>All processes</a>
        <LiveLink live={live} />
      </p>
      {process.state === 'live' ? null : <Autopsy id={id} />}
      <Panel title={`${process.host}, process ${process.pid}`} aside={lastWord(process)}>
        <dl class="facts num">
          <Fact name="Level" value={process.level} />
          <Fact name="Pressure" value={process.pressure === null ? '–' : percentText(process.pressure)} />
          <Fact name="Full" value={fullIn(process, clock.value)} />
          <Fact name="Service" value={process.service} />
          <Fact name="Release" value={process.release} />
          <Fact name="Started" value={whenText(process.started, clock.value)} />
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
                <span class="num muted">{whenText(entry.at, clock.value)}</span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
}

/** Why it died, by the database. */
function Autopsy({ id }: { readonly id: string }): JSX.Element | null {
  const { answer } = useQuery<FleetAutopsyAnswer>('api/fleet/autopsy', { id }, 6 * everyMs);
  if (answer === null || answer.autopsy === null) return null;
  return (
    <>
      <AutopsyView autopsy={answer.autopsy} story={answer.story} />
      {answer.from === 'samples' ? (
        <p class="muted">Its folder was not seen again, so this is made from what it sent while it lived.</p>
      ) : null}
    </>
  );
}

/** Link to the live view of the process: on this server if it runs on the same machine, else at its own address. */
function LiveLink({ live }: { readonly live: FleetProcessAnswer['live'] }): JSX.Element | null {
  if (live === null) return null;
  if ('pid' in live)
    return (
      <>
        {' · '}
        <a
          href={linkTo('overview')}
          onClick={() => {
            choosePid(live.pid);
            reconnect();
          }}
        >
          Live view
        </a>
      </>
    );
  return (
    <>
      {' · '}
      <a href={live.address} target="_blank" rel="noopener noreferrer">
        Live view
      </a>
      <span class="muted"> if this machine reaches {live.address}</span>
    </>
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
