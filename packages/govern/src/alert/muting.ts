import type { InhibitRule } from '../policy/sections/alert-rules.ts';
import type { BookEntry } from './alert-book.ts';
import { inhibitionOf } from './inhibition.ts';
import type { SilenceList } from './silence.ts';

/** Why an alert that is due is not sent. */
export type MutedBy = 'silence' | 'inhibition';

/** What mutes each entry, computed once per turn. */
export function mutingOf(
  entries: readonly BookEntry[],
  inhibit: readonly InhibitRule[],
  silences: SilenceList,
): (entry: BookEntry) => MutedBy | undefined {
  const isInhibited = inhibitionOf(
    entries.filter((entry) => entry.firing),
    inhibit,
  );
  const found = new Map<BookEntry, MutedBy>();
  for (const entry of entries) {
    if (silences.find(entry.labels) !== undefined) found.set(entry, 'silence');
    else if (entry.firing && isInhibited(entry)) found.set(entry, 'inhibition');
  }
  return (entry) => found.get(entry);
}
