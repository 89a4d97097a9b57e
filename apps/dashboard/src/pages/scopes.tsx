import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Treemap } from '../chart/treemap.tsx';
import { frame, isHistorical, now, scopes, scopesRevision } from '../live/state.ts';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { Empty, Panel } from '../part/panel.tsx';
import { linkTo } from '../shell/route.ts';
import { KeeperPanel } from '../scopes/keeper-table.tsx';
import { StagePanel } from '../scopes/stage-panel.tsx';
import { ScopeGrid } from '../scopes/scope-grid.tsx';
import { scopeMap } from '../scopes/scope-map.ts';
import { treeLines, type TreeView } from '../scopes/tree.ts';
import { plural } from '../text/units.ts';

const startView: TreeView = { sort: 'bytes', descending: true, filter: '', flat: false, folded: new Set() };

/** Every open scope with its bytes, live. */
export function ScopesPage(): JSX.Element {
  const [view, setView] = useState(startView);
  const revision = scopesRevision.value;
  const at = now.value;
  const lines = useMemo(() => treeLines(scopes.values(), view, at), [revision, view]);
  const map = useMemo(() => scopeMap(scopes.values()), [revision]);
  const shown = frame.value as Frame;
  if (scopes.size === 0)
    return (
      <div class="scopes">
        <KeeperPanel shown={shown} />
        <StagePanel shown={shown} />
        <NoScopes />
      </div>
    );
  return (
    <div class="scopes">
      <Panel
        title={`${plural(scopes.size, 'scope')} open${isHistorical.value ? ' at the end' : ''}`}
        aside={
          <>
            <label class="field">
              <span>Filter</span>
              <input
                type="search"
                value={view.filter}
                placeholder="agent:planner session"
                onInput={(event) => setView({ ...view, filter: event.currentTarget.value })}
              />
            </label>
            <label class="check">
              <input
                type="checkbox"
                checked={view.flat}
                onChange={() => setView({ ...view, flat: !view.flat })}
              />
              <span>as a list</span>
            </label>
          </>
        }
      >
        <ScopeGrid
          lines={lines}
          view={view}
          now={at}
          onSort={(sort) =>
            setView({ ...view, sort, descending: view.sort === sort ? !view.descending : sort !== 'name' })
          }
          onFold={(path, folded) => setView({ ...view, folded: withPath(view.folded, path, folded) })}
        />
        {lines.length === 0 ? <Empty title={`No open scope has "${view.filter}" in its path`} /> : null}
      </Panel>
      <KeeperPanel shown={shown} />
      <StagePanel shown={shown} />
      <Panel title="By bytes" aside="the heaviest 600">
        <Treemap
          root={map}
          label="Scopes by bytes"
          height={460}
          onOpen={(mass) => {
            location.hash = linkTo('scope', { path: mass.id });
          }}
        />
      </Panel>
    </div>
  );
}

function withPath(folded: ReadonlySet<string>, path: string, add: boolean): ReadonlySet<string> {
  const next = new Set(folded);
  if (add) next.add(path);
  else next.delete(path);
  return next;
}

function NoScopes(): JSX.Element {
  return (
    <Empty title="No scope is open">
      <p>
        A scope is a named owner of memory: a session, an agent, a run, a tool. Open one where the work
        begins, and this page shows what it holds:
      </p>
      <pre>{`import { open } from '@plimsoll/core';

using session = open('session', id, { budget: 64 * 1024 ** 2 });
await session.run(() => answer(request));`}</pre>
    </Empty>
  );
}
