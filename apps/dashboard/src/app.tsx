import type { ComponentType, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { connection, frame, isHistorical, session } from './live/state.ts';
import { ActionsPage } from './pages/actions.tsx';
import { ApprovalsPage } from './pages/approvals.tsx';
import { FindingsPage } from './pages/findings.tsx';
import { HistoryPage } from './pages/history.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PolicyPage } from './pages/policy.tsx';
import { ScopePage } from './pages/scope.tsx';
import { ScopesPage } from './pages/scopes.tsx';
import { SnapshotPage } from './pages/snapshot.tsx';
import { Banner } from './part/banner.tsx';
import { Empty } from './part/panel.tsx';
import { TopBar } from './part/top-bar.tsx';
import { linkTo, route } from './shell/route.ts';

interface PageEntry {
  readonly title: string;
  readonly show: ComponentType;
  /** True for pages that need no process. */
  readonly alone?: boolean;
  /** False while the page has no content. Without it the page is always offered. */
  readonly isOffered?: () => boolean;
  /** Number of waiting items on the page. */
  readonly count?: () => number;
}

/** A page whose script is fetched when it is opened, because most servers have no fleet. */
function fetched(load: () => Promise<ComponentType>): ComponentType {
  return () => {
    const [page, setPage] = useState<{ readonly show: ComponentType } | null>(null);
    useEffect(() => {
      void load().then((show) => setPage({ show }));
    }, []);
    return page === null ? <Empty title="Loading" /> : <page.show />;
  };
}

const FleetPage = fetched(async () => (await import('./pages/fleet.tsx')).FleetPage);

const pages: Readonly<Record<string, PageEntry>> = {
  overview: { title: 'Overview', show: OverviewPage },
  scopes: { title: 'Scopes', show: ScopesPage },
  findings: { title: 'Findings', show: FindingsPage, count: () => frame.value?.findings.length ?? 0 },
  actions: { title: 'Actions', show: ActionsPage },
  approvals: { title: 'Approvals', show: ApprovalsPage, count: openApprovals },
  history: { title: 'History', show: HistoryPage },
  policy: { title: 'Policy', show: PolicyPage },
  fleet: { title: 'Fleet', show: FleetPage, alone: true, isOffered: () => session.value?.fleet === true },
  snapshot: { title: 'Heap snapshot', show: SnapshotPage, alone: true },
};

function offered(): readonly [string, PageEntry][] {
  return Object.entries(pages).filter(([, { isOffered }]) => isOffered === undefined || isOffered());
}

function openApprovals(): number {
  return (frame.value?.governance.approvals ?? []).filter((row) => row.state === 'open').length;
}

/** The whole page: bar, navigation, and the chosen page. */
export function App(): JSX.Element {
  const { page } = route.value;
  const entry = page === 'scope' ? { title: 'Scope', show: ScopePage } : pages[page];
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    document.title = `${entry?.title ?? 'Not here'} · Plimsoll`;
    // Moves the focus into the new page for users of keyboard and screen reader, except on the first one.
    if (!first.current) main.current?.focus({ preventScroll: false });
    first.current = false;
    showPlace();
    scrollTo(0, 0);
  }, [page]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to the page
      </a>
      <TopBar />
      <nav class="places" aria-label="Pages">
        {offered().map(([name, { title, count }]) => (
          <a
            key={name}
            href={linkTo(name)}
            {...((page === name || (page === 'scope' && name === 'scopes')) && {
              'aria-current': 'page' as const,
            })}
          >
            {title}
            {count === undefined || count() === 0 ? null : <span class="count">{count()}</span>}
          </a>
        ))}
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <h1 class={page === 'overview' ? 'unseen' : ''}>{entry?.title ?? 'Not here'}</h1>
        <Banner />
        {entry === undefined ? <NotHere page={page} /> : <Shown entry={entry} />}
      </main>
    </>
  );
}

/** On a narrow screen the navigation scrolls sideways. scrollIntoView is not used, because it would move the starting point of Tab. */
function showPlace(): void {
  const place = document.querySelector<HTMLElement>('.places [aria-current]');
  const places = place?.parentElement;
  if (place == null || places == null) return;
  places.scrollLeft = place.offsetLeft - (places.clientWidth - place.offsetWidth) / 2;
}

function Shown({ entry }: { readonly entry: PageEntry }): JSX.Element {
  const Page = entry.show;
  if (frame.value !== null || entry.alone === true) return <Page />;
  if (connection.value.state !== 'open') return <Empty title="Waiting for the server" />;
  if (isHistorical.value && session.value?.process === null) {
    return (
      <Empty title="No governed process yet">
        <p>Start one, and this page fills by itself:</p>
        <pre>plimsoll run -- node server.js</pre>
        <p>A ledger of a process that is gone is shown with:</p>
        <pre>plimsoll serve --ledger .plimsoll/ledger</pre>
      </Empty>
    );
  }
  return <Empty title="Waiting for the first reading" />;
}

function NotHere({ page }: { readonly page: string }): JSX.Element {
  return (
    <Empty title={`There is no page called "${page}"`}>
      <p>
        Go to the <a href={linkTo('overview')}>overview</a>.
      </p>
    </Empty>
  );
}
