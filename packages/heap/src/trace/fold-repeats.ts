const longestPeriod = 6;
const enoughRepeats = 4;

/**
 * Folds runs of equal steps: of `(a b) (a b) (a b) …` the first period stays, marked with how often it comes. A leak that
 * is a linked list is thousands of such steps long.
 */
export function foldRepeats<Step>(
  steps: readonly Step[],
  keyOf: (step: Step) => string,
  marked: (step: Step, times: number) => Step,
  isFixed: (step: Step) => boolean = () => false,
  fewestRepeats: number = enoughRepeats,
): Step[] {
  const keys = steps.map(keyOf);
  const folded: Step[] = [];
  for (let at = 0; at < steps.length;) {
    const run = longestRun(steps, keys, at, isFixed, fewestRepeats);
    if (run === undefined) {
      folded.push(steps[at++] as Step);
      continue;
    }
    for (let i = 0; i < run.period; i++) folded.push(marked(steps[at + i] as Step, run.times));
    at += run.period * run.times;
  }
  return folded;
}

function longestRun<Step>(
  steps: readonly Step[],
  keys: readonly string[],
  at: number,
  isFixed: (step: Step) => boolean,
  fewestRepeats: number,
): { period: number; times: number } | undefined {
  let best: { period: number; times: number } | undefined;
  for (let period = 1; period <= longestPeriod; period++) {
    let end = at + period;
    while (end < keys.length && keys[end] === keys[end - period] && !isFixed(steps[end] as Step)) end++;
    const times = Math.floor((end - at) / period);
    if (times >= fewestRepeats && times * period > (best === undefined ? 0 : best.times * best.period)) {
      best = { period, times };
    }
  }
  return best;
}
