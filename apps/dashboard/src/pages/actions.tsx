import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ActionRow } from '@plimsoll/host/protocol/frame';
import type { AuditAnswer } from '@plimsoll/host/protocol/api';
import { freedShare, grouped, mergedActions, type ActionGroup } from '../actions/action-list.ts';
import { useQuery } from '../live/query.ts';
import { frame, now } from '../live/state.ts';
import { LevelBadge } from '../part/badge.tsx';
import { OutcomeBadge } from '../part/outcome.tsx';
import { Empty, Panel } from '../part/panel.tsx';
import { linkTo } from '../shell/route.ts';
import { whenText } from '../text/clock.ts';
import { ladderExample } from '../text/examples.ts';
import { bytesText, countText, freedText, plural } from '../text/units.ts';

const mostActions = 300;
/** Most listed rows of one group. The others are in the ledger. */
const mostInGroup = 50;

type Shown = 'all' | 'done' | 'would-have';

/** Actions and the bytes that they freed. In shadow mode, the actions that were held back. */
export function ActionsPage(): JSX.Element {
  const [shown, setShown] = useState<Shown>('all');
  const { answer } = useQuery<AuditAnswer>('api/audit', { kind: 'action', limit: 500 }, 15_000);
  const governance = frame.value?.governance;
  const all = mergedActions(answer?.entries ?? [], governance?.actions ?? []);
  const actions = all.filter(
    ({ outcome }) => shown === 'all' || (outcome === 'would-have') === (shown === 'would-have'),
  );
  const groups = grouped(actions.slice(0, mostActions));
  if (all.length === 0) return <NoActions mode={frame.value?.policy.mode ?? 'observe'} />;
  return (
    <div class="actions">
      <dl class="facts panel num">
        <div>
          <dt>cleanups carried out</dt>
          <dd>{countText(governance?.counts.cleanups ?? 0)}</dd>
        </div>
        <div>
          <dt>memory freed by them</dt>
          <dd>{bytesText(governance?.counts.freedBytes ?? 0)}</dd>
        </div>
        <div>
          <dt>only written down (shadow)</dt>
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
              <option value="would-have">only written down</option>
            </select>
          </label>
        }
      >
        <ol class="timeline">
          {groups.map((group) => (
            <GroupItem key={group.newest.id} group={group} share={freedShare(group, groups)} />
          ))}
        </ol>
        {actions.length === 0 ? <Empty title="None of this kind" /> : null}
      </Panel>
    </div>
  );
}

function admissionText(): string {
  const admission = frame.value?.governance.admission;
  if (admission == null) return 'always let in';
  const { state, ratio, refused } = admission;
  if (state === 'open') return refused === 0 ? 'let in' : `let in again, ${countText(refused)} were refused`;
  return state === 'throttling'
    ? `${Math.round(ratio * 100)} % refused`
    : `${state}, ${countText(refused)} refused`;
}

function GroupItem({ group, share }: { readonly group: ActionGroup; readonly share: number }): JSX.Element {
  const { newest, rows, scopes, freedBytes } = group;
  const oldest = rows.at(-1) ?? newest;
  return (
    <li class={`event at-${newest.level}`}>
      <time class="num muted" dateTime={new Date(newest.at).toISOString()}>
        {whenText(newest.at, now.value)}
      </time>
      <div class="event-body">
        <p class="event-head">
          <strong>{newest.action}</strong>
          {rows.length === 1 ? null : <span class="num">×{countText(rows.length)}</span>}
          {scopes.length === 1 ? (
            <ScopeLink path={newest.scope} />
          ) : (
            <span>on {plural(scopes.length, 'scope')}</span>
          )}
          <OutcomeBadge outcome={newest.outcome} />
          <LevelBadge level={newest.level} />
        </p>
        {newest.text === '' ? null : (
          <p>
            {rows.length === 1 ? '' : 'Newest: '}
            {newest.text}
          </p>
        )}
        {rows.length === 1 ? (
          <p class="muted">
            {newest.rule}
            {newest.mode === '' ? '' : `, mode ${newest.mode}`}
          </p>
        ) : (
          <details>
            <summary>
              all {countText(rows.length)}, since {whenText(oldest.at, now.value)}
            </summary>
            <ul class="rows">
              {rows.slice(0, mostInGroup).map((row) => (
                <li key={row.id}>
                  <span class="num muted">{whenText(row.at, now.value)}</span> <ScopeLink path={row.scope} />{' '}
                  {row.text} {row.freedBytes === null ? null : freedText(row.freedBytes)}{' '}
                  <span class="muted">{row.rule}</span>
                </li>
              ))}
            </ul>
            {rows.length > mostInGroup ? (
              <p class="muted">{countText(rows.length - mostInGroup)} older ones are in the ledger.</p>
            ) : null}
          </details>
        )}
      </div>
      <div class="freed">
        <span class="num">{freedBytes === null ? freedWords[newest.outcome] : freedText(freedBytes)}</span>
        {share === 0 ? null : <span class="freed-bar" style={{ width: `${share * 100}%` }} />}
      </div>
    </li>
  );
}

function ScopeLink({ path }: { readonly path: string }): JSX.Element {
  return (
    <a href={linkTo('scope', { path })}>
      <code>{path}</code>
    </a>
  );
}

const freedWords: Readonly<Record<ActionRow['outcome'], string>> = {
  waiting: 'waits for an approval',
  running: 'running',
  settling: 'freed bytes are known after the next major GC',
  done: '',
  'would-have': 'not carried out',
  skipped: 'nothing was done',
  failed: 'nothing was done',
};

const modeWords: Readonly<Record<string, string>> = {
  enforce: 'actions are carried out.',
  shadow: 'actions are recorded and not run.',
  observe: 'levels are reported and no action runs.',
};

function NoActions({ mode }: { readonly mode: string }): JSX.Element {
  return (
    <Empty title="Nothing had to be done">
      <p>
        The ladder of the policy says what is done at warning, critical and emergency. The mode is{' '}
        <code>{mode}</code>: {modeWords[mode] ?? ''}
      </p>
      <pre>{ladderExample}</pre>
    </Empty>
  );
}
