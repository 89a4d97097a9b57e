import type { FleetApproval } from '@plimsoll/host/protocol/fleet';
import type { JSX } from 'preact';
import { DecisionForm } from '../approvals/decision-form.tsx';
import { clock, session } from '../live/state.ts';
import { WordBadge } from '../part/badge.tsx';
import { Panel } from '../part/panel.tsx';
import { linkTo } from '../shell/route.ts';
import { whenText } from '../text/clock.ts';
import { durationText } from '../text/units.ts';
import { askedText, whyNotHere } from './fleet-text.ts';

/** The open approvals of the whole fleet. */
export function OpenApprovals({
  rows,
  onDone,
}: {
  readonly rows: readonly FleetApproval[];
  readonly onDone: () => void;
}): JSX.Element | null {
  const open = rows.filter(({ state }) => state === 'open');
  if (open.length === 0) return null;
  return (
    <Panel title="Waiting for a decision" aside={`${open.length}`}>
      <ul class="rows">
        {open.map((row) => (
          <OpenApproval key={row.id} row={row} onDone={onDone} />
        ))}
      </ul>
    </Panel>
  );
}

function OpenApproval({
  row,
  onDone,
}: {
  readonly row: FleetApproval;
  readonly onDone: () => void;
}): JSX.Element {
  const { action, scope, why, approvers } = askedText(row);
  const left = row.deadline - clock.value;
  return (
    <li class="fleet-approval">
      <p class="row-link">
        <span class="grow">
          <strong>{action}</strong> on{' '}
          <a href={linkTo('fleet', { id: row.processId })}>
            {row.host}, release {row.release}
          </a>
          : <code>{scope}</code>
        </span>
        <span class="num muted">{left <= 0 ? 'deadline passed' : `${durationText(left)} left`}</span>
      </p>
      {why === '' ? null : <p>{why}</p>}
      <p class="muted">
        Without an answer: {row.defaultAnswer}.{approvers === '' ? '' : ` May decide: ${approvers}.`}
        {row.votes.map(
          ({ by, decision, at }) =>
            ` ${by} said ${decision} ${whenText(at, clock.value)} (${row.quorum} needed).`,
        )}
      </p>
      <DecisionForm
        path={`api/fleet/approvals/${encodeURIComponent(row.id)}`}
        digest={row.digest}
        reason={whyNotHere(session.value)}
        onDone={onDone}
      />
    </li>
  );
}

/** Decisions, with person and origin. */
export function DecidedApprovals({ rows }: { readonly rows: readonly FleetApproval[] }): JSX.Element | null {
  const over = rows.filter(({ state }) => state !== 'open');
  if (over.length === 0) return null;
  return (
    <Panel title="Decided approvals" aside={`${over.length}`}>
      <ul class="rows">
        {over.slice(0, 50).map((row) => (
          <li key={row.id} class="row-link">
            <WordBadge word={row.state} tone={row.state === 'approved' ? 'level-normal' : 'level-none'} />
            <span class="grow">
              <strong>{askedText(row).action}</strong> on {row.host}, release {row.release}
              <span class="muted">
                {row.decidedBy === null ? '' : ` by ${row.decidedBy}`}
                {row.decidedFrom === null ? '' : ` from ${row.decidedFrom}`}
                {row.comment === null || row.comment === '' ? '' : `: ${row.comment}`}
                {row.applied === null ? ', not yet heard by the process' : ''}
              </span>
            </span>
            <span class="num muted">{whenText(row.decidedAt ?? row.asked, clock.value)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
