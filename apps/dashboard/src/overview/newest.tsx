import type { JSX } from 'preact';
import type { Frame } from '../../../../packages/host/src/protocol/api.ts';
import { now } from '../live/state.ts';
import { OutcomeBadge } from '../part/outcome.tsx';
import { Empty, Panel } from '../part/panel.tsx';
import { SeverityBadge } from '../part/badge.tsx';
import { Waterline } from '../part/waterline.tsx';
import { linkTo } from '../route.ts';
import { whenText } from '../text/clock.ts';
import { formatByteSize as bytesText } from '../../../../packages/core/src/units/byte-size.ts';
import { countText } from '../text/units.ts';
import { formatDuration as durationText } from '../../../../packages/core/src/units/duration.ts';

const most = 5;

interface Props {
  readonly shown: Frame;
}

export function NewestFindings({ shown }: Props): JSX.Element {
  const newest = shown.findings.toSorted((a, b) => b.lastSeen - a.lastSeen).slice(0, most);
  return (
    <Panel title="Newest findings" aside={<a href={linkTo('findings')}>all {shown.findings.length}</a>}>
      {newest.length === 0 ? (
        <Empty title="Nothing leaks, as far as is known">
          <p>
            A scope that was closed and whose objects stay alive appears here with the path that holds them.
          </p>
        </Empty>
      ) : (
        <ul class="rows">
          {newest.map((finding) => (
            <li key={finding.id}>
              <a class="row-link" href={linkTo('findings', { id: finding.id })}>
                <SeverityBadge severity={finding.severity} />
                <span class="grow one-line">
                  {finding.kind} in <code>{finding.scope}</code>
                </span>
                <span class="num">
                  {finding.bytes === 0 ? `${countText(finding.count)} times` : bytesText(finding.bytes)}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function NewestActions({ shown }: Props): JSX.Element {
  const newest = shown.governance.actions.slice(-most).reverse();
  return (
    <Panel title="Newest actions" aside={<a href={linkTo('actions')}>all</a>}>
      {newest.length === 0 ? (
        <Empty title="Nothing had to be done">
          <p>
            Actions begin at a level of the policy's ladder. The mode is <code>{shown.policy.mode}</code>.
          </p>
        </Empty>
      ) : (
        <ul class="rows">
          {newest.map((action) => (
            <li key={action.id}>
              <a class="row-link" href={linkTo('actions')}>
                <OutcomeBadge outcome={action.outcome} />
                <span class="grow one-line">
                  {action.action} <code>{action.scope}</code>
                </span>
                <span class="num">{action.freedBytes === null ? '' : bytesText(action.freedBytes)}</span>
                <span class="muted num">{whenText(action.at, now.value)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function HeaviestScopes({ shown }: Props): JSX.Element {
  const heaviest = shown.scopes
    .filter((row) => row.kind !== 'unattributed')
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, most);
  return (
    <Panel title="Heaviest scopes" aside={<a href={linkTo('scopes')}>all {countText(shown.scopeCount)}</a>}>
      {heaviest.length === 0 ? (
        <Empty title="No scope is open">
          <p>
            <a href={linkTo('scopes')}>How to open one</a>: then this says who holds the memory.
          </p>
        </Empty>
      ) : (
        <ul class="rows">
          {heaviest.map((row) => (
            <li key={row.path}>
              <a class="row-link heaviest" href={linkTo('scope', { path: row.path })}>
                <code class="one-line">{row.path.replace(/^process\//, '')}</code>
                {row.budgetBytes === null ? (
                  <span class="muted">no budget</span>
                ) : (
                  <Waterline label={row.path} used={row.bytes} limit={row.budgetBytes} level={row.level} />
                )}
                <span class="num">{bytesText(row.bytes)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function ToDecide({ shown }: Props): JSX.Element {
  const open = shown.governance.approvals.filter((row) => row.state === 'open');
  return (
    <Panel title="Approvals to decide" aside={<a href={linkTo('approvals')}>inbox</a>}>
      {open.length === 0 ? (
        <Empty title="Nobody waits for you">
          <p>
            Actions that the policy marks with an approval wait here until someone answers or the deadline
            passes.
          </p>
        </Empty>
      ) : (
        <ul class="rows">
          {open.slice(0, most).map((row) => (
            <li key={row.id}>
              <a class="row-link" href={linkTo('approvals', { id: row.id })}>
                <span class="grow one-line">
                  <strong>{row.action}</strong> <code>{row.scope}</code>
                </span>
                <span class="num">{durationText(Math.max(0, row.deadlineAt - now.value))} left</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
