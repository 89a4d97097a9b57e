import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApprovalRow } from '@plimsoll/host/protocol/frame';
import type { ApprovalsAnswer } from '@plimsoll/host/protocol/api';
import { evidenceName, expiryText, quorumText, whyNot } from '../approvals/decision.ts';
import { DecisionForm } from '../approvals/decision-form.tsx';
import { reconnect } from '../live/connect.ts';
import { useQuery } from '../live/query.ts';
import { frame, now, session } from '../live/state.ts';
import { setToken, token } from '../live/token.ts';
import { WordBadge } from '../part/badge.tsx';
import { Empty, Panel } from '../part/panel.tsx';
import { linkTo, route } from '../shell/route.ts';
import { whenText } from '../text/clock.ts';
import { approvalExample } from '../text/examples.ts';
import { bytesText, durationText, percentText } from '../text/units.ts';

/** Open and decided approvals. */
export function ApprovalsPage(): JSX.Element {
  const { answer, again } = useQuery<ApprovalsAnswer>('api/approvals', {}, 2000);
  const rows = answer?.rows ?? frame.value?.governance.approvals ?? [];
  const open = rows.filter((row) => row.state === 'open').sort((a, b) => a.deadlineAt - b.deadlineAt);
  const over = rows
    .filter((row) => row.state !== 'open')
    .sort((a, b) => (b.decidedAt ?? 0) - (a.decidedAt ?? 0));
  return (
    <div class="approvals">
      <TokenForm />
      {open.length === 0 ? <NoApprovals any={over.length > 0} /> : null}
      {open.map((row) => (
        <OpenApproval key={row.id} row={row} onDone={again} asked={route.value.query['id'] === row.id} />
      ))}
      {over.length === 0 ? null : (
        <Panel title="Decided" aside={`${over.length}`}>
          <ul class="rows">
            {over.slice(0, 100).map((row) => (
              <Decided key={row.id} row={row} />
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
}

function OpenApproval({
  row,
  onDone,
  asked,
}: {
  readonly row: ApprovalRow;
  readonly onDone: () => void;
  readonly asked: boolean;
}): JSX.Element {
  const left = row.deadlineAt - now.value;
  const whole = Math.max(1, row.deadlineAt - row.at);
  return (
    <div class={asked ? 'asked' : ''}>
      <Panel
        title={`${row.action} on ${row.scope}`}
        aside={
          <span class="countdown num">{left <= 0 ? 'deadline passed' : `${durationText(left)} left`}</span>
        }
      >
        <div class="countdown-bar">
          <span style={{ width: `${Math.max(0, Math.min(1, left / whole)) * 100}%` }} />
        </div>
        <p>{row.why}</p>
        <dl class="facts num">
          {Object.entries(row.evidence).map(([key, value]) => (
            <div key={key}>
              <dt>{evidenceName(key)}</dt>
              <dd>{evidenceText(key, value)}</dd>
            </div>
          ))}
        </dl>
        <p class="muted">
          Asked by {row.requestedBy} at {whenText(row.at, now.value)} for{' '}
          <a href={linkTo('scope', { path: row.scope })}>{row.scope}</a>; {quorumText(row)}
          {row.approvers.length === 0 ? '' : `, by ${row.approvers.join(', ')}`}. {expiryText(row)}
        </p>
        <Votes row={row} />
        <DecisionForm
          path={`api/approvals/${encodeURIComponent(row.id)}`}
          digest={row.digest}
          reason={whyNot(row, session.value, token() !== null)}
          onDone={onDone}
        />
      </Panel>
    </div>
  );
}

function evidenceText(key: string, value: string | number | null): string {
  if (value === null) return '–';
  if (typeof value === 'string') return value;
  if (/bytes$/i.test(key)) return bytesText(value);
  if (/ms$/i.test(key)) return durationText(value);
  return /ratio$/i.test(key) ? percentText(value) : String(value);
}

function Votes({ row }: { readonly row: ApprovalRow }): JSX.Element | null {
  if (row.votes.length === 0) return null;
  return (
    <ul class="votes">
      {row.votes.map((vote) => (
        <li key={`${vote.by}${vote.at}`}>
          <strong>{vote.by}</strong> {vote.decision === 'approve' ? 'approved' : 'denied'} at{' '}
          {whenText(vote.at, now.value)} by {vote.channel}
          {vote.comment === '' ? '' : `: ${vote.comment}`}
        </li>
      ))}
    </ul>
  );
}

function Decided({ row }: { readonly row: ApprovalRow }): JSX.Element {
  const vote = row.votes.at(-1);
  return (
    <li class="row-link">
      <WordBadge word={row.state} tone={row.state === 'approved' ? 'level-normal' : 'level-none'} />
      <span class="grow">
        <strong>{row.action}</strong> <code>{row.scope}</code>
        <span class="muted">
          {vote === undefined ? '' : ` by ${vote.by}`}
          {vote === undefined || vote.comment === '' ? '' : `: ${vote.comment}`}
          {row.ranAt === null ? '' : ', carried out'}
        </span>
      </span>
      <span class="num muted">{whenText(row.decidedAt ?? row.at, now.value)}</span>
    </li>
  );
}

/** The caller of this tab. A token can be pasted when the address had none. */
function TokenForm(): JSX.Element | null {
  const [value, setValue] = useState('');
  const known = session.value;
  if (known === null || !known.live) return null;
  if (known.canDecide) return <p class="muted">You decide as {known.as ?? 'someone with a token'}.</p>;
  return (
    <form
      class="token panel"
      onSubmit={(event) => {
        event.preventDefault();
        setToken(value.trim());
        reconnect();
      }}
    >
      <p>
        {token() === null
          ? 'This tab may read. To decide, enter a token: the one in .plimsoll/token, or that of an approver.'
          : 'The server does not know the token of this tab.'}
      </p>
      <label class="field grow">
        <span>Token</span>
        <input
          type="password"
          autocomplete="off"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Use it</button>
    </form>
  );
}

function NoApprovals({ any }: { readonly any: boolean }): JSX.Element {
  return (
    <Empty title="No approval waits for you">
      {any ? null : (
        <>
          <p>
            An action asks first when the policy gives it an approval; without an answer its default holds.
          </p>
          <pre>{approvalExample}</pre>
        </>
      )}
    </Empty>
  );
}
