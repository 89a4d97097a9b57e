import type { GrownContainer } from '../containers/container-counts.ts';
import { prefix } from '../containers/container-name.ts';
import type { GrowthExplanation } from './explanation.ts';

/** What a snapshot calls the variable of a function that waits, because it has no names of them. */
const local = 'local variable';
/** Most difference of the number of entries between the snapshot and the last count. */
const mostApart = 0.02;
const kinds = /^(?:Map|Set|Array)(?= holds)/;

/**
 * The explanation with the name of the variable where its holder is one of a function that waits, such as a loop at top level. The walk knows
 * the name: it is the only container of this kind with as many entries.
 */
export function withLocalName(
  found: GrowthExplanation,
  containers: readonly GrownContainer[],
): GrowthExplanation {
  const { trace, summary } = found;
  const at = trace.findIndex(({ suspect, via }) => suspect && via === local);
  const count = 'newBytes' in found ? (found.counts.at(-1) ?? 0) : found.count;
  const alike = containers.filter(
    (each) =>
      each.kind === trace[at]?.name &&
      each.path.at(-1)?.via.startsWith(prefix) === true &&
      Math.abs(each.count - count) <= mostApart * count,
  );
  const via = alike.length === 1 ? alike[0]?.path.at(-1)?.via : undefined;
  if (via === undefined) return found;
  return {
    ...found,
    trace: trace.map((step, i) => (i === at ? { ...step, via } : step)),
    summary: summary.replace(kinds, (kind) => `${via.slice(prefix.length)} (${kind})`),
  };
}
