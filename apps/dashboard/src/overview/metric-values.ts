import type { Frame } from '@plimsoll/host/protocol/frame';
import { delegationOf, survivorsOf } from '../live/frame-parts.ts';
import { bytesText, countText, percentText, plural } from '../text/units.ts';

/** One number of the overview. */
interface Metric {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly tone: 'plain' | 'warning' | 'critical';
  /** The page with details. */
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
    name: 'Memory used',
    value: percentText(reading.used / reading.limit),
    note: `${bytesText(reading.used)} of ${bytesText(reading.limit)}`,
    tone: level === 'normal' ? 'plain' : level === 'warning' ? 'warning' : 'critical',
    page: 'history',
  };
}

/** Agents where the program has any, else all open scopes. */
function agents(frame: Frame): Metric {
  const { kinds, scopeCount } = frame;
  const agent = kinds.find((row) => row.kind === 'agent');
  const others = kinds
    .filter((row) => row.kind !== 'agent' && row.open > 0)
    .map((row) => plural(row.open, row.kind));
  const delegation = delegationOf(frame);
  const delegated =
    delegation === null || delegation.started + delegation.denied === 0
      ? []
      : [
          `${plural(delegation.active, 'delegation')}, ${percentText(delegation.blockedRatio)} of ${countText(delegation.started + delegation.denied)} refused`,
        ];
  const notes = [...others.slice(0, 3), ...delegated];
  return {
    name: agent === undefined ? 'Open scopes' : 'Active agents',
    value: countText(agent?.open ?? scopeCount),
    note: notes.length === 0 ? 'no other scope is open' : notes.join(', '),
    tone: 'plain',
    page: 'scopes',
  };
}

function survivors(frame: Frame): Metric {
  const { count, bytes } = survivorsOf(frame);
  return {
    name: 'Survivors',
    value: countText(count),
    note:
      count === 0
        ? 'nothing of a closed scope stayed, no cycles either'
        : bytes === 0
          ? 'of closed scopes, not weighed yet'
          : `of closed scopes, ${bytesText(bytes)}`,
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
          ? `known after two major GCs (${reading.majors} so far)`
          : 'not known'
        : gcEffectiveness >= 0.8
          ? 'of new memory was freed again'
          : 'of new memory was freed again; below 80 % memory piles up',
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
  const shadow = counts.wouldHave === 0 ? '' : `, ${countText(counts.wouldHave)} more only written down`;
  return {
    name: 'Cleanups',
    value: countText(counts.cleanups),
    note:
      counts.cleanups === 0 ? `none was needed${shadow}` : `freed ${bytesText(counts.freedBytes)}${shadow}`,
    tone: 'plain',
    page: 'actions',
  };
}

function approvals({ governance }: Frame): Metric {
  const open = governance.approvals.filter((row) => row.state === 'open').length;
  return {
    name: 'Approvals asked',
    value: countText(governance.counts.approvals),
    note: open === 0 ? 'none waits for an answer' : `${countText(open)} to answer`,
    tone: open === 0 ? 'plain' : 'warning',
    page: 'approvals',
  };
}
