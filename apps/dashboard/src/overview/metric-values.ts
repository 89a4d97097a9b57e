import type { Frame } from '../../../../packages/host/src/protocol/api.ts';
import { formatByteSize as bytesText } from '../../../../packages/core/src/units/byte-size.ts';
import { countText, percentText } from '../text/units.ts';

/** One number that operators ask for by name. */
export interface Metric {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly tone: 'plain' | 'warning' | 'critical';
  /** The page that says more. */
  readonly page: string;
}

/** The six numbers of an operator's first look. */
export function metrics(frame: Frame): readonly Metric[] {
  return [
    memory(frame),
    agents(frame),
    survivors(frame),
    effectiveness(frame),
    cleanups(frame),
    approvals(frame),
  ];
}

function memory({ reading, level }: Frame): Metric {
  return {
    name: 'Memory usage',
    value: percentText(reading.used / reading.limit),
    note: `${bytesText(reading.used)} of ${bytesText(reading.limit)}`,
    tone: level === 'normal' ? 'plain' : level === 'warning' ? 'warning' : 'critical',
    page: 'history',
  };
}

function agents({ kinds }: Frame): Metric {
  const open = (kind: string): number => kinds.find((row) => row.kind === kind)?.open ?? 0;
  const others = kinds
    .filter((row) => row.kind !== 'agent' && row.open > 0)
    .map((row) => `${countText(row.open)} ${row.kind}`);
  return {
    name: 'Active agents',
    value: countText(open('agent')),
    note: others.length === 0 ? 'no other scope is open' : others.slice(0, 3).join(', '),
    tone: 'plain',
    page: 'scopes',
  };
}

function survivors({ findings }: Frame): Metric {
  const found = findings.filter((finding) => finding.kind === 'survivor');
  const count = found.reduce((sum, finding) => sum + finding.count, 0);
  const bytes = found.reduce((sum, finding) => sum + finding.bytes, 0);
  return {
    name: 'Circular references / survivors',
    value: countText(count),
    note:
      count === 0
        ? 'every closed scope let go; cycles are collected'
        : bytes === 0
          ? 'should be gone; not weighed yet'
          : `${bytesText(bytes)} that should be gone`,
    tone: count === 0 ? 'plain' : 'critical',
    page: 'findings',
  };
}

function effectiveness({ gcEffectiveness, reading }: Frame): Metric {
  return {
    name: 'GC effectiveness',
    value: percentText(gcEffectiveness),
    note:
      gcEffectiveness === null
        ? reading.majors < 2
          ? `known after two major GCs, so far ${reading.majors}`
          : 'not known'
        : 'of what major GCs could have freed',
    tone:
      gcEffectiveness === null || gcEffectiveness >= 0.8
        ? 'plain'
        : gcEffectiveness >= 0.7
          ? 'warning'
          : 'critical',
    page: 'history',
  };
}

function cleanups({ governance: { counts } }: Frame): Metric {
  const shadow = counts.wouldHave === 0 ? '' : `, ${countText(counts.wouldHave)} would have been`;
  return {
    name: 'Cleanup operations',
    value: countText(counts.actions),
    note: `${bytesText(counts.freedBytes)} freed${shadow}`,
    tone: 'plain',
    page: 'actions',
  };
}

function approvals({ governance }: Frame): Metric {
  const open = governance.approvals.filter((row) => row.state === 'open').length;
  return {
    name: 'Approvals triggered',
    value: countText(governance.counts.approvals),
    note: open === 0 ? 'none waits' : `${countText(open)} to decide`,
    tone: open === 0 ? 'plain' : 'warning',
    page: 'approvals',
  };
}
