import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditRow } from '@plimsoll/host/protocol/api';
import { WordBadge } from '../part/badge.tsx';
import { Empty, Panel } from '../part/panel.tsx';
import { linkTo } from '../shell/route.ts';
import { dateText, timeText } from '../text/clock.ts';
import { countText } from '../text/units.ts';
import { entryText } from './entry-text.ts';

interface EntryListProps {
  readonly title: string;
  readonly entries: readonly AuditRow[];
  readonly more: boolean;
}

/** Entries of the ledger, newest first. */
export function EntryList({ title, entries, more }: EntryListProps): JSX.Element {
  const [kind, setKind] = useState('');
  const kinds = [...new Set(entries.map((entry) => entry.kind))].sort();
  const shown = entries.filter((entry) => kind === '' || entry.kind === kind).toReversed();
  return (
    <Panel
      title={title}
      aside={
        <>
          <span>
            {countText(shown.length)}
            {more ? ', older ones left out' : ''}
          </span>
          {kinds.length < 2 ? null : (
            <label class="field">
              <span>Kind</span>
              <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
                <option value="">all</option>
                {kinds.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            </label>
          )}
        </>
      }
    >
      {shown.length === 0 ? <Empty title="Nothing yet" /> : null}
      <ul class="rows">
        {shown.slice(0, 200).map((entry) => (
          <li key={entry.seq} class="row-link">
            <span class="num muted" title={dateText(entry.at)}>
              {dateText(entry.at).slice(5, 10)} {timeText(entry.at)}
            </span>
            <WordBadge word={entry.kind} tone={`kind-${entry.kind}`} />
            <span class="grow">{entryText(entry)}</span>
            <a href={linkTo('scope', { path: entry.scope || 'process' })}>
              <code class="one-line">{entry.scope}</code>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
