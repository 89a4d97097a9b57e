import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Treemap } from '../chart/treemap.tsx';
import type { Mass } from '../chart/treemap-layout.ts';
import { SeverityBadge } from '../part/badge.tsx';
import { Empty, Panel, Refused } from '../part/panel.tsx';
import { Trace } from '../part/trace.tsx';
import { TakePanel } from '../snapshot/take-panel.tsx';
import type { SnapshotStory, SnapshotWord } from '../snapshot/message.ts';
import { bytesText, countText, durationText, percentText } from '../text/units.ts';
import { Table } from '../part/table.tsx';

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'reading'; readonly name: string; readonly phase: string; readonly ratio: number }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly fix: string }
  | { readonly kind: 'done'; readonly story: SnapshotStory };

/** A heap snapshot, analysed on this machine in a worker; nothing is sent anywhere. */
export function SnapshotPage(): JSX.Element {
  const [state, setState] = useState<State>({ kind: 'idle' });
  const worker = useRef<Worker | null>(null);
  useEffect(() => () => worker.current?.terminate(), []);
  const read = (file: File): void => {
    worker.current?.terminate();
    const made = new Worker(new URL('../snapshot/worker.ts', import.meta.url), { type: 'module' });
    worker.current = made;
    setState({ kind: 'reading', name: file.name, phase: 'read', ratio: 0 });
    made.addEventListener('message', ({ data }: MessageEvent<SnapshotWord>) => {
      if (data.kind === 'progress')
        setState({ kind: 'reading', name: file.name, phase: data.phase, ratio: data.ratio });
      else {
        setState(data);
        made.terminate();
      }
    });
    made.addEventListener('error', (event) =>
      setState({
        kind: 'failed',
        code: 'worker',
        message: event.message || 'The worker could not start.',
        fix: 'Analyse it with plimsoll analyze FILE instead.',
      }),
    );
    made.postMessage({ file });
  };
  return (
    <div class="snapshot">
      <TakePanel onFile={read} />
      <PickFile onFile={read} />
      <div aria-live="polite">{state.kind === 'reading' ? <Reading state={state} /> : null}</div>
      {state.kind === 'failed' ? <Refused error={state} /> : null}
      {state.kind === 'idle' ? <HowTo /> : null}
      {state.kind === 'done' ? <Story story={state.story} /> : null}
    </div>
  );
}

function PickFile({ onFile }: { readonly onFile: (file: File) => void }): JSX.Element {
  const [over, setOver] = useState(false);
  return (
    <label
      class={over ? 'drop over' : 'drop'}
      onDragOver={(event) => (event.preventDefault(), setOver(true))}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) onFile(file);
      }}
    >
      <span>
        Or open a file: pick a .heapsnapshot (or .heapsnapshot.gz), or drop it here. It is read in this
        browser and sent nowhere.
      </span>
      <input
        type="file"
        accept=".heapsnapshot,.gz,.json"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file !== undefined) onFile(file);
        }}
      />
    </label>
  );
}

function Reading({ state }: { readonly state: Extract<State, { kind: 'reading' }> }): JSX.Element {
  return (
    <p class="reading">
      <label>
        {state.name}: {state.phase}{' '}
        {state.phase === 'read' && state.ratio > 0 ? <progress max={1} value={state.ratio} /> : <progress />}
      </label>
    </p>
  );
}

function Story({ story }: { readonly story: SnapshotStory }): JSX.Element {
  const { name, nodes, edges, heapBytes, fileBytes, ms, suspects, scopes } = story;
  return (
    <>
      <dl class="facts panel num">
        <div>
          <dt>file</dt>
          <dd>
            {name}, {bytesText(fileBytes)}
          </dd>
        </div>
        <div>
          <dt>alive</dt>
          <dd>{bytesText(heapBytes)}</dd>
        </div>
        <div>
          <dt>objects</dt>
          <dd>{countText(nodes)}</dd>
        </div>
        <div>
          <dt>references</dt>
          <dd>{countText(edges)}</dd>
        </div>
        <div>
          <dt>took</dt>
          <dd>{durationText(ms)}</dd>
        </div>
      </dl>
      <Panel title="Retained sizes" aside="what would be freed if it were gone">
        <Treemap root={massOf(story)} label="Retained sizes" height={460} />
      </Panel>
      <Suspects suspects={suspects} />
      <div class={scopes.length === 0 ? '' : 'pair'}>
        <Classes story={story} />
        {scopes.length === 0 ? null : <Scopes scopes={scopes} />}
      </div>
    </>
  );
}

function massOf({ map }: SnapshotStory): Mass {
  let next = 0;
  const of = (node: SnapshotStory['map']): Mass => ({
    id: `${next++}`,
    name: node.n,
    bytes: node.b,
    ...(node.c !== undefined && { children: node.c.map(of) }),
  });
  return of(map);
}

function Suspects({ suspects }: { readonly suspects: SnapshotStory['suspects'] }): JSX.Element {
  if (suspects.length === 0) {
    return (
      <Panel title="Suspects">
        <Empty title="Nothing stands out">
          <p>
            No collection, chain or class holds enough of one kind to be suspicious. Two snapshots, minutes
            apart, show what grew: plimsoll diff A B.
          </p>
        </Empty>
      </Panel>
    );
  }
  return (
    <>
      {suspects.map((suspect) => (
        <Panel
          key={suspect.fingerprint}
          title={`Suspect: ${suspect.name}`}
          aside={`fingerprint ${suspect.fingerprint}`}
        >
          <p class="finding-line">
            <SeverityBadge severity={suspect.severity} />
            <span class="num">{bytesText(suspect.retainedBytes)}</span>
            <span class="num">{percentText(suspect.ratio)} of the heap</span>
          </p>
          <p>{suspect.summary}</p>
          {suspect.knownLeak === undefined ? null : (
            <p class="cure">
              <strong>Known leak: {suspect.knownLeak.title}.</strong> {suspect.knownLeak.cure}
            </p>
          )}
          <Trace steps={suspect.trace} />
        </Panel>
      ))}
    </>
  );
}

function Classes({ story }: { readonly story: SnapshotStory }): JSX.Element {
  return (
    <Panel title="Classes">
      <Table
        label="Classes by retained bytes"
        columns={['class', 'count', 'own', 'retained']}
        right={['count', 'own', 'retained']}
      >
        {story.classes.map((row) => (
          <tr key={row.name}>
            <th scope="row">
              <code>{row.name}</code>
            </th>
            <td class="num right">{countText(row.count)}</td>
            <td class="num right">{bytesText(row.shallowBytes)}</td>
            <td class="num right">{bytesText(row.retainedBytes)}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

function Scopes({ scopes }: Pick<SnapshotStory, 'scopes'>): JSX.Element {
  return (
    <Panel title="Scopes in the snapshot">
      <ul class="rows">
        {scopes.slice(0, 40).map((row) => (
          <li class="row-link" key={row.path}>
            <span class="grow">
              <code>{row.path}</code> <span class="muted">{row.state}</span>
            </span>
            <span class="num">{bytesText(row.retainedBytes)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function HowTo(): JSX.Element {
  return (
    <Empty title="No snapshot is open">
      <p>
        A heap snapshot lists every object of a process and what holds it. This page shows who keeps how much
        alive and what looks like a leak.
      </p>
      <p>From a process that this dashboard does not know, started with --heapsnapshot-signal=SIGUSR2:</p>
      <pre>kill -USR2 PID</pre>
    </Empty>
  );
}
