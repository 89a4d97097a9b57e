import { formatDuration } from '@plimsoll/core/units';
import type { Autopsy } from './autopsy.ts';
import type { CauseName } from './cause.ts';

/** Lives whose length differs by at most this share from the typical one are described with "each". */
const sameAge = 0.25;

/** Phrase of a cause after "died 4 times in 6 h". Causes without an entry use their name. */
const phrases: Partial<Record<CauseName, string>> = {
  'v8-heap-limit': 'at the V8 heap limit',
  'worker-heap-limit': 'at the heap limit of a worker thread',
  'array-buffer-failure': 'without memory for an ArrayBuffer',
  'group-oom-kill': 'at the memory limit of its control group',
  'kernel-oom-kill': 'when the machine was out of memory',
  killed: 'by SIGKILL',
  'loop-stuck': 'with its event loop stuck',
  'uncaught-error': 'of an error that nobody caught',
  'unhandled-rejection': 'of a rejection that nobody handled',
};

/**
 * Several deaths in one sentence: "died 4 times in 6 h at the V8 heap limit, each 90 m after start, same fingerprint, since release 1.4.2".
 * `deaths` has the newest first. The result is null for fewer than two.
 */
export function deathStory(deaths: readonly Autopsy[]): string | null {
  if (deaths.length < 2) return null;
  return [
    `died ${deaths.length} times${spanText(deaths)} ${causeText(deaths)}`,
    ageText(deaths),
    fingerprintText(deaths),
    releaseText(deaths),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function spanText(deaths: readonly Autopsy[]): string {
  const ends = deaths.flatMap(({ endedAt }) => endedAt ?? []);
  return ends.length < 2 ? '' : ` in ${formatDuration(Math.max(...ends) - Math.min(...ends))}`;
}

function causeText(deaths: readonly Autopsy[]): string {
  const counts = new Map<CauseName, number>();
  for (const { cause } of deaths) counts.set(cause.name, (counts.get(cause.name) ?? 0) + 1);
  const [first] = counts.keys();
  if (counts.size === 1 && first !== undefined) return phrases[first] ?? `(${first})`;
  const causes = [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${count} x ${name}`);
  return `(${causes.join(', ')})`;
}

function ageText(deaths: readonly Autopsy[]): string {
  const ages = deaths
    .flatMap(({ startedAt, endedAt }) =>
      startedAt === null || endedAt === null ? [] : [endedAt - startedAt],
    )
    .sort((a, b) => a - b);
  const typical = ages[Math.floor(ages.length / 2)];
  if (typical === undefined) return '';
  const isEach =
    ages.length === deaths.length && ages.every((age) => Math.abs(age - typical) <= sameAge * typical);
  return `${isEach ? 'each' : 'typically'} ${formatDuration(typical)} after start`;
}

function fingerprintText(deaths: readonly Autopsy[]): string {
  const known = deaths.flatMap(({ fingerprint }) => fingerprint ?? []);
  return known.length === deaths.length && new Set(known).size === 1 ? 'same fingerprint' : '';
}

/** The release of the first death, with which the deaths began. */
function releaseText(deaths: readonly Autopsy[]): string {
  const release = deaths.at(-1)?.release ?? null;
  return release === null ? '' : `since release ${release}`;
}
