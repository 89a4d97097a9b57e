import type { JSX } from 'preact';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { grouped } from '../actions/action-list.ts';
import { now } from '../live/state.ts';
import { OutcomeBadge } from '../part/outcome.tsx';
import { Panel } from '../part/panel.tsx';
import { SeverityBadge } from '../part/badge.tsx';
import { linkTo } from '../shell/route.ts';
import { whenText } from '../text/clock.ts';
import { findingTitle } from '../text/finding-text.ts';
import { bytesText, countText, durationText, freedText, plural } from '../text/units.ts';

const most = 5;

interface Props {
  readonly shown: Frame;
}

/** The newest findings; nothing while there are none. */
export function NewestFindings({ shown }: Props): JSX.Element | null {
  const newest = shown.findings.toSorted((a, b) => b.lastSeen - a.lastSeen).slice(0, most);
  if (newest.length === 0) return null;
  return (
    <Panel title="Newest findings" aside={<a href={linkTo('findings')}>all {shown.findings.length}</a>}>
      <ul class="rows">
        {newest.map((finding) => (
          <li key={finding.id}>
            <a class="row-link" href={linkTo('findings', { id: finding.id })}>
              <SeverityBadge severity={finding.severity} />
              <span class="grow one-line">{findingTitle(finding)}</span>
              <span class="num">{finding.bytes === 0 ? '' : bytesText(finding.bytes)}</span>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The newest actions of the ladder, repeated notices as one line; nothing while there are none. */
export function NewestActions({ shown }: Props): JSX.Element | null {
  const newest = grouped(shown.governance.actions.toReversed()).slice(0, most);
  if (newest.length === 0) return null;
  return (
    <Panel title="Newest actions" aside={<a href={linkTo('actions')}>all</a>}>
      <ul class="rows">
        {newest.map(({ newest: action, rows, scopes, freedBytes }) => (
          <li key={action.id}>
            <a class="row-link" href={linkTo('actions')}>
              <OutcomeBadge outcome={action.outcome} />
              <span class="grow one-line">
                {action.action}
                {rows.length === 1 ? '' : ` ×${countText(rows.length)}`}{' '}
                {scopes.length === 1 ? <code>{action.scope}</code> : `on ${plural(scopes.length, 'scope')}`}
              </span>
              <span class="num">{freedBytes === null ? '' : freedText(freedBytes)}</span>
              <span class="muted num">{whenText(action.at, now.value)}</span>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Waiting approvals; nothing while there are none. */
export function ToDecide({ shown }: Props): JSX.Element | null {
  const open = shown.governance.approvals.filter((row) => row.state === 'open');
  if (open.length === 0) return null;
  return (
    <Panel title="Approvals to decide" aside={<a href={linkTo('approvals')}>inbox</a>}>
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
    </Panel>
  );
}
