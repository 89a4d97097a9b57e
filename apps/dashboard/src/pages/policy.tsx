import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditAnswer, BudgetRow, Explanation, PolicyAnswer } from '@plimsoll/host/protocol/api';
import { EntryList } from '../history/entry-list.tsx';
import { useQuery } from '../live/query.ts';
import { frame, now } from '../live/state.ts';
import { WordBadge } from '../part/badge.tsx';
import { ExplainTable } from '../part/explain-table.tsx';
import { Empty, Panel, Refused } from '../part/panel.tsx';
import { rollbackState, type RollbackNote } from '../policy/rollback-state.ts';
import { linkTo, route } from '../shell/route.ts';
import { whenText } from '../text/clock.ts';
import { bytesText, countText, durationText } from '../text/units.ts';
import { Table } from '../part/table.tsx';

/** The policy: budgets, the explanation of each, and held-back actions. */
export function PolicyPage(): JSX.Element {
  const { answer, error } = useQuery<PolicyAnswer>('api/policy', {}, 10_000);
  const { answer: changes } = useQuery<AuditAnswer>('api/audit', { kind: 'policy', limit: 100 }, 15_000);
  if (answer === null)
    return error === null ? <Empty title="Reading the policy" /> : <Refused error={error} />;
  return (
    <div class="policy">
      {answer.file === null ? <NoPolicy /> : null}
      <RolledBack state={rollbackState(changes?.entries ?? [])} />
      <Facts policy={answer} />
      <ExplainPanel />
      <Panel title="Effective budgets" aside={`${answer.budgets.length} rules`}>
        {answer.budgets.length === 0 ? (
          <Empty title="No budgets">
            <p>Only the true limit of the process counts.</p>
          </Empty>
        ) : (
          <BudgetTable budgets={answer.budgets} />
        )}
      </Panel>
      <WouldHave policy={answer} />
      <EntryList
        title="Changes, canaries and rollbacks"
        entries={changes?.entries ?? []}
        more={changes?.more === true}
      />
      {answer.text === null ? null : (
        <Panel title="The file">
          <pre class="file" tabIndex={0}>
            {answer.text}
          </pre>
        </Panel>
      )}
    </div>
  );
}

/** Shown when the policy of the file is not in force: who gave it up, why, and how to put it in force again. */
function RolledBack({ state }: { readonly state: RollbackNote | undefined }): JSX.Element | null {
  if (state === undefined) return null;
  const { from, to, mode, by, at, text } = state;
  return (
    <div class="refused" role="status">
      <p>
        <strong>
          Rolled back{from === null ? '' : ` from revision ${from}`}
          {to === null ? '' : ` to revision ${to}`}
          {mode === '' ? '' : ` in mode ${mode}`}
        </strong>{' '}
        at {whenText(at, now.value)} by {by ?? 'the governor itself'}. {text}
      </p>
      <p>It holds, over restarts too, until the policy file changes or:</p>
      <pre>plimsoll rollback --undo --reason "mended"</pre>
    </div>
  );
}

const modeText: Readonly<Record<string, string>> = {
  observe: 'levels and findings are reported, no action runs',
  shadow: 'actions are written down as "would have" and not carried out',
  enforce: 'actions are carried out',
};

function Facts({ policy }: { readonly policy: PolicyAnswer }): JSX.Element {
  return (
    <section class="panel" aria-label="In force">
      <dl class="facts num">
        <div>
          <dt>file</dt>
          <dd>{policy.file ?? 'built in'}</dd>
        </div>
        <div>
          <dt>revision</dt>
          <dd>{policy.revision ?? '–'}</dd>
        </div>
        <div>
          <dt>mode</dt>
          <dd>
            {policy.mode} <span class="muted">{modeText[policy.mode] ?? ''}</span>
          </dd>
        </div>
        <div>
          <dt>sha256</dt>
          <dd>
            <code>{policy.sha256?.slice(0, 12) ?? '–'}</code>
          </dd>
        </div>
        <div>
          <dt>true limit</dt>
          <dd>{frame.value === null ? '–' : bytesText(frame.value.limits.bytes)}</dd>
        </div>
      </dl>
      {policy.fault === null ? null : (
        <div class="refused" role="alert">
          <p>The newest text was refused and the one before stays in force:</p>
          <pre>{policy.fault}</pre>
        </div>
      )}
    </section>
  );
}

function BudgetTable({ budgets }: { readonly budgets: readonly BudgetRow[] }): JSX.Element {
  return (
    <Table
      label="Rules with budgets"
      columns={['for', 'at most', 'as written', 'priority', 'idle', 'place']}
      right={['at most', 'idle']}
    >
      {budgets.map((row) => (
        <tr key={`${row.section}${row.glob}${row.place}`}>
          <th scope="row">
            {row.section} <code>{row.glob}</code>
          </th>
          <td class="num right">{row.maxBytes === null ? '–' : bytesText(row.maxBytes)}</td>
          <td>{row.max ?? '–'}</td>
          <td>{row.priority ?? '–'}</td>
          <td class="num right">{row.idleMs === null ? '–' : durationText(row.idleMs)}</td>
          <td class="muted">{row.place}</td>
        </tr>
      ))}
    </Table>
  );
}

function ExplainPanel(): JSX.Element {
  const asked = route.value.query['scope'] ?? '';
  const [path, setPath] = useState(asked);
  const { answer, error } = useQuery<Explanation>(asked === '' ? null : 'api/policy/explain', {
    scope: asked,
  });
  return (
    <Panel title="Explain a scope">
      <form
        class="decide"
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = linkTo('policy', { scope: path.trim() });
        }}
      >
        <label class="field grow">
          <span>Path</span>
          <input
            value={path}
            placeholder="process/agent:planner/session:42"
            onInput={(event) => setPath(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Explain</button>
      </form>
      {asked === '' ? (
        <p class="muted">Says which rule gives the scope which number, and why the others do not.</p>
      ) : null}
      {error === null || asked === '' ? null : <Refused error={error} />}
      {answer === null || asked === '' ? null : <ExplainTable explanation={answer} />}
    </Panel>
  );
}

/** Actions that mode shadow held back. In other modes it is left out while there are none. */
function WouldHave({ policy }: { readonly policy: PolicyAnswer }): JSX.Element | null {
  if (policy.wouldHave.length === 0 && policy.mode !== 'shadow') return null;
  return (
    <Panel title="Only written down (mode shadow)">
      {policy.wouldHave.length === 0 ? (
        <Empty title="Nothing yet">
          <p>What the policy would do appears here. Set mode: enforce to have it done.</p>
        </Empty>
      ) : (
        <ul class="rows">
          {policy.wouldHave.map((row) => (
            <li class="row-link" key={`${row.action}${row.level}${row.rule}`}>
              <WordBadge word={row.level} tone={`level-${row.level}`} />
              <span class="grow">
                <strong>{row.action}</strong> <span class="muted">{row.rule}</span>
                <br />
                {row.lastText} <code>{row.lastScope}</code>
              </span>
              <span class="num">{countText(row.count)} times</span>
              <span class="num muted">{whenText(row.lastAt, now.value)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function NoPolicy(): JSX.Element {
  return (
    <Empty title="No policy file: the built-in one is in force">
      <p>
        It watches the true limit and tells of levels. To give budgets and actions, write one and start with
        it:
      </p>
      <pre>{`plimsoll init
plimsoll check plimsoll.yaml
plimsoll run --policy plimsoll.yaml -- node server.js`}</pre>
    </Empty>
  );
}
