import type { OptionsOf } from '../policy/actions.ts';
import type { ActionOf } from './action.ts';
import { skipped } from './action.ts';

/** Bounds trees of agents, because deep and wide ones multiply the memory of each agent. Running agents finish. */
export const delegationClamp: ActionOf<'delegation.clamp'> = {
  plan: ({ options }) => ({ text: `would have clamped ${list(options)}.`, projectedBytes: 0 }),
  run({ options, levers, level }) {
    if (levers.admission === undefined) return skipped('nothing asks the shed points in this process.');
    const { depth, concurrency } = options;
    const fanOut = options['fan-out'];
    levers.admission.clamp({
      ...(depth === undefined ? {} : { depth }),
      ...(fanOut === undefined ? {} : { fanOut }),
      ...(concurrency === undefined ? {} : { concurrency }),
      reason: `memory is at level ${level}`,
    });
    return { text: `clamped ${list(options)}.`, releasedBytes: 0 };
  },
  release: (levers) => levers.admission?.release('clamp'),
};

function list(options: OptionsOf<'delegation.clamp'>): string {
  const parts = [
    ...(options.depth === undefined ? [] : [`depth to ${options.depth}`]),
    ...(options['fan-out'] === undefined ? [] : [`fan-out to ${options['fan-out']}`]),
    ...(options.concurrency === undefined ? [] : [`concurrency to ${options.concurrency}`]),
  ];
  return `delegations: ${parts.join(', ')}`;
}
