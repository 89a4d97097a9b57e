import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ActionRow, AuditAnswer } from '../../../../packages/host/src/protocol/api.ts';
import { freedShare, mergedActions } from '../actions/action-list.ts';
import { useQuery } from '../live/query.ts';
import { frame, now } from '../live/state.ts';
import { LevelBadge } from '../part/badge.tsx';
import { OutcomeBadge } from '../part/outcome.tsx';
import { Empty, Panel } from '../part/panel.tsx';
import { linkTo } from '../route.ts';
import { whenText } from '../text/clock.ts';
import { ladderExample } from '../text/examples.ts';
import { formatByteSize as bytesText } from '../../../../packages/core/src/units/byte-size.ts';
import { countText } from '../text/units.ts';

type Shown = 'all' | 'done' | 'would-have';

/** What was done and what it freed; in shadow mode, what would have been done. */
export function ActionsPage(): JSX.Element {
  const [shown, setShown] = useState<Shown>('all');
  const { answer } = useQuery<AuditAnswer>('api/audit', { kind: 'action', limit: 500 }, 15_000);
  const governance = frame.value?.governance;
  const all = mergedActions(answer?.entries ?? [], governance?.actions ?? []);
  const actions = all.filter(
    ({ outcome }) => shown === 'all' || (outcome === 'would-have') === (shown === 'would-have'),
  );
  if (all.length === 0) return <NoActions mode={frame.value?.policy.mode ?? 'observe'} />;
  return (
    <div class="actions">
      <dl class="facts panel num">
        <div>
          <dt>carried out</dt>
          <dd>{countText(governance?.counts.actions ?? 0)}</dd>
        </div>
        <div>
          <dt>freed</dt>
          <dd>{bytesText(governance?.counts.freedBytes ?? 0)}</dd>
        </div>
        <div>
          <dt>would have been</dt>
          <dd>{countText(governance?.counts.wouldHave ?? 0)}</dd>
        </div>
        <div>
          <dt>new work</dt>
          <dd>{admissionText()}</dd>
        </div>
      </dl>
      <Panel
        title="Timeline"
        aside={
          <label class="field">
            <span>Show</span>
            <select value={shown} onChange={(event) => setShown(event.currentTarget.value as Shown)}>
              <option value="all">all</option>
              <option value="done">carried out</option>
              <option value="would-have">would have been</option>
            </select>
          </label>
        }
      >
        <ol class="timeline">
          {actions.slice(0, 300).map((action) => (
            <ActionItem key={action.id} action={action} share={freedShare(action, actions)} />
          ))}
        </ol>
        {actions.length === 0 ? <Empty title="None of this kind" /> : null}
      </Panel>
    </div>
  );
}

function admissionText(): string {
  const admission = frame.value?.governance.admission;
  if (admission == null) return 'not governed';
  const { state, ratio, refused } = admission;
  if (state === 'open') return refused === 0 ? 'let in' : `let in, ${countText(refused)} refused before`;
  return state === 'throttling'
    ? `${Math.round(ratio * 100)} % refused`
    : `${state}, ${countText(refused)} refused`;
}

function ActionItem({ action, share }: { readonly action: ActionRow; readonly share: number }): JSX.Element {
  return (
    <li class={`event at-${action.level}`}>
      <time class="num muted" dateTime={new Date(action.at).toISOString()}>
        {whenText(action.at, now.value)}
      </time>
      <div class="event-body">
        <p class="event-head">
          <strong>{action.action}</strong>
          <a href={linkTo('scope', { path: action.scope })}>
            <code>{action.scope}</code>
          </a>
          <OutcomeBadge outcome={action.outcome} />
          <LevelBadge level={action.level} />
        </p>
        {action.text === '' ? null : <p>{action.text}</p>}
        <p class="muted">
          {action.rule}
          {action.mode === '' ? '' : `, mode ${action.mode}`}
        </p>
      </div>
      <div class="freed">
        <span class="num">
          {action.freedBytes === null ? freedWords[action.outcome] : `${bytesText(action.freedBytes)} freed`}
        </span>
        {share === 0 ? null : <span class="freed-bar" style={{ width: `${share * 100}%` }} />}
      </div>
    </li>
  );
}

const freedWords: Readonly<Record<ActionRow['outcome'], string>> = {
  waiting: 'waits for an approval',
  running: 'running',
  settling: 'measured at the next major GC',
  done: 'frees nothing by itself',
  'would-have': 'not carried out',
  skipped: 'nothing freed',
  failed: 'nothing freed',
};

function NoActions({ mode }: { readonly mode: string }): JSX.Element {
  return (
    <Empty title="Nothing had to be done">
      <p>
        Actions are rungs of the policy's ladder: what happens at warning, critical and emergency. The mode is
        now <code>{mode}</code>
        {mode === 'enforce' ? '.' : ', so actions are written down and not carried out.'}
      </p>
      <pre>{ladderExample}</pre>
    </Empty>
  );
}
