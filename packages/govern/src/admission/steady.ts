import { formatByteSize } from '@plimsoll/core/units';
import type { ShedPoint } from '@plimsoll/core/internal/gate/shed-point';
import { formatPercent } from '../policy/form/quantity.ts';
import type { SteadyLimits } from '../policy/sections/admission.ts';
import type { Objection } from './objection.ts';

/** Facts that the steady limits are compared with. */
interface SteadyFacts {
  readonly runs: number;
  readonly delegations: number;
  /** Agent scopes open at the last reading, plus those begun since then. */
  readonly agents: number;
  readonly freeBytes: number;
  readonly limitBytes: number;
  /** Share of the time that the event loop was busy lately; undefined when nobody measures it. */
  readonly busyRatio: number | undefined;
}

/** Points at which new work begins. Tools and buffers belong to admitted work. */
const beginnings: readonly ShedPoint[] = ['session', 'run', 'delegation'];

/** Other work ends soon, so a refused caller may try again soon. */
const retryAfterMs = { min: 1000, max: 5000 };

/** The objection of a steady limit to new work at a point; undefined when there is room. */
export function steadyAgainst(
  limits: SteadyLimits,
  point: ShedPoint,
  facts: SteadyFacts,
): Objection | undefined {
  if (!beginnings.includes(point)) return undefined;
  const { runs, agents, delegations, freeMemory, cpuRatio } = limits;
  if (point === 'run' && runs !== undefined && facts.runs >= runs)
    return full('admission.runs', `${facts.runs} runs are in flight and ${runs} is the most`);
  if (point === 'delegation' && delegations !== undefined && facts.delegations >= delegations)
    return full(
      'admission.delegations',
      `${facts.delegations} delegations are in flight and ${delegations} is the most`,
    );
  if (agents !== undefined && facts.agents >= agents)
    return full('admission.agents', `${facts.agents} agents are open and ${agents} is the most`);
  if (freeMemory !== undefined && facts.limitBytes > 0) {
    const least = 'bytes' in freeMemory ? freeMemory.bytes : freeMemory.ratio * facts.limitBytes;
    if (facts.freeBytes < least)
      return full(
        'admission.free-memory',
        `${formatByteSize(Math.max(0, facts.freeBytes))} are free and ${formatByteSize(least)} is the least`,
      );
  }
  if (cpuRatio !== undefined && facts.busyRatio !== undefined && facts.busyRatio > cpuRatio)
    return full(
      'admission.cpu',
      `the event loop is busy ${formatPercent(facts.busyRatio)} of the time and ${formatPercent(cpuRatio)} is the most`,
    );
  return undefined;
}

function full(rule: string, what: string): Objection {
  return { reason: 'FULL', rule, retryable: true, retryAfterMs, details: { what } };
}
