/**
 * What survived a closed scope, with the path that holds it.
 *
 * One leak leaves many things behind: the session that a map still holds has a state, buffers and a scope of its own, each of them
 * watched, each alive. The one nearest to what holds them is the finding; the others go with it.
 */
import { worseSeverity, type Finding } from '../findings/finding.ts';
import { cureOf, holderIn, holderOf } from './cure.ts';
import { survivorSubject } from '../survivors/survivor-claims.ts';
import type { WatchedTrace } from './watched-trace.ts';

type Step = NonNullable<Finding['trace']>[number] & { readonly id?: number; readonly suspect?: boolean };

/** The row of a snapshot that shows what a survivor is held by. */
export function rowOf(finding: Finding, rows: readonly WatchedTrace[]): WatchedTrace | undefined {
  const same = rows.filter(({ kind, label }) => survivorSubject(kind, label) === finding.subject);
  return same.find(({ scope }) => scope === finding.scope) ?? same[0];
}

/** A survivor with the path that holds it and what to do about it. */
export function withPath(finding: Finding, row: WatchedTrace): Finding {
  const fix = `let go of ${finding.subject}: ${cureOf(row.trace)}`;
  return { ...finding, trace: row.trace, ...holderOf(row.trace), fix };
}

/**
 * Lets survivors that go with another one step back: their path leads through what the other one is about, or the same container of the
 * program holds both. `rows` are those of the snapshots, as far as they are known.
 */
export function foldSurvivors(
  findings: readonly Finding[],
  rows: readonly WatchedTrace[],
): readonly Finding[] {
  const traced = findings
    .filter(({ kind, trace }) => kind === 'survivor' && trace !== undefined)
    // What a program named says more than its scope does.
    .sort((a, b) => Number(isScope(a)) - Number(isScope(b)));
  const folded = new Map<string, Finding>();
  traced.forEach((finding, i) => {
    const through =
      rowOf(finding, rows)?.through.map(({ kind, label }) => survivorSubject(kind, label)) ?? [];
    const cause =
      through.flatMap((subject) => traced.find((each) => each.subject === subject) ?? [])[0] ??
      traced.slice(0, i).find((each) => !folded.has(each.fingerprint) && isSameHolder(each, finding));
    if (cause !== undefined && cause !== finding) folded.set(finding.fingerprint, stepBack(finding, cause));
  });
  return findings.map((each) => folded.get(each.fingerprint) ?? each);
}

const isScope = ({ subject }: Finding): boolean => subject?.startsWith('the closed ') === true;

function stepBack(finding: Finding, cause: Finding): Finding {
  return {
    ...finding,
    severity: 'info',
    fix: `goes with ${cause.id}: what holds ${cause.subject} holds ${finding.subject}, too.`,
  };
}

/** Scopes of one kind, and the same container before what is left of them. */
function isSameHolder(a: Finding, b: Finding): boolean {
  return kindIn(a) === kindIn(b) && isHeldBy(a, new Set(holderIds(b)));
}

const kindIn = ({ subject }: Finding): string | undefined => subject?.split('the closed ').at(-1);

const isHeldBy = (finding: Finding, ids: ReadonlySet<number>): boolean =>
  holderIds(finding).some((id) => ids.has(id));

/** V8's ids of what holds a survivor; they are the same in all snapshots of a process. */
function holderIds({ trace }: Finding): readonly number[] {
  return holderIn((trace ?? []) as readonly Step[]).flatMap(({ id }) => id ?? []);
}

/** Gives a survivor the growth that the same container explains, and takes that finding away: it is one leak. */
export function mergeGrowth(findings: readonly Finding[]): readonly Finding[] {
  const merged = new Map<string, Finding>();
  const taken = new Set<string>();
  const survivors = findings.filter((each) => each.kind === 'survivor' && each.severity !== 'info');
  for (const growth of findings.filter((each) => each.kind === 'growth' && each.trace !== undefined)) {
    const ids = new Set((growth.trace as readonly Step[]).flatMap(({ id }) => id ?? []));
    const survivor = survivors.find((each) => isHeldBy(each, ids));
    if (survivor === undefined) continue;
    taken.add(growth.fingerprint);
    merged.set(survivor.fingerprint, together(merged.get(survivor.fingerprint) ?? survivor, growth));
  }
  return findings
    .filter(({ fingerprint }) => !taken.has(fingerprint))
    .map((each) => merged.get(each.fingerprint) ?? each);
}

function together(survivor: Finding, growth: Finding): Finding {
  const rate = survivor.rate ?? growth.rate;
  return {
    ...survivor,
    severity: worseSeverity(growth.severity, survivor.severity),
    bytes: Math.max(survivor.bytes, growth.bytes),
    ...(rate !== undefined && { rate }),
    ...(growth.knownLeak !== undefined && { knownLeak: growth.knownLeak, fix: growth.fix }),
  };
}
