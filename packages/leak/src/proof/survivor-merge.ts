/**
 * Survivors of closed scopes with the paths that hold them.
 *
 * One leak leaves many survivors: a session in a map has a state, buffers and a scope of its own, each of them watched and alive. The one
 * nearest to the holder is the finding; the others belong to it.
 */
import { worseSeverity, type Finding } from '../findings/finding.ts';
import { cureOf, holderIn, holderOf } from './cure.ts';
import { survivorSubject } from '../survivors/survivor-claims.ts';
import type { WatchedTrace } from './watched-trace.ts';

type Step = NonNullable<Finding['trace']>[number] & { readonly id?: number; readonly suspect?: boolean };

/** The row of a snapshot with the path of a survivor. */
export function rowOf(finding: Finding, rows: readonly WatchedTrace[]): WatchedTrace | undefined {
  const same = rows.filter(({ kind, label }) => survivorSubject(kind, label) === finding.subject);
  return same.find(({ scope }) => scope === finding.scope) ?? same[0];
}

/** A survivor with its path and its fix. */
export function withPath(finding: Finding, row: WatchedTrace): Finding {
  const fix = `release ${finding.subject}: ${cureOf(row.trace)}`;
  return { ...finding, trace: row.trace, ...holderOf(row.trace), fix };
}

/**
 * Ranks survivors lower that belong to another one: their path leads through the other one's object, or the same container of the program
 * holds both. `rows` are the known rows of the snapshots.
 */
export function foldSurvivors(
  findings: readonly Finding[],
  rows: readonly WatchedTrace[],
): readonly Finding[] {
  const traced = findings
    .filter(({ kind, trace }) => kind === 'survivor' && trace !== undefined)
    // Objects that the program named come before scopes.
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
    fix: `belongs to ${cause.id}: the holder of ${cause.subject} also holds ${finding.subject}.`,
  };
}

/** True for scopes of one kind that the same container holds. */
function isSameHolder(a: Finding, b: Finding): boolean {
  return kindIn(a) === kindIn(b) && isHeldBy(a, new Set(holderIds(b)));
}

const kindIn = ({ subject }: Finding): string | undefined => subject?.split('the closed ').at(-1);

const isHeldBy = (finding: Finding, ids: ReadonlySet<number>): boolean =>
  holderIds(finding).some((id) => ids.has(id));

/** V8's ids of the holders of a survivor, which are the same in all snapshots of a process. */
function holderIds({ trace }: Finding): readonly number[] {
  return holderIn((trace ?? []) as readonly Step[]).flatMap(({ id }) => id ?? []);
}

/** Merges growth into a survivor when the same container explains both, because it is one leak. */
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
