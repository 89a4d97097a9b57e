import type { PatternStep } from '../trace/leak-trace.ts';
import type { KnownLeak, KnownLeakMatcher } from './known-leak.ts';
import { knownLeaks } from './catalogue.ts';

/** The known leak whose path this trace shows, the first of the catalogue that fits. */
export function matchKnownLeak(
  trace: readonly PatternStep[],
  matchers: readonly KnownLeakMatcher[] = knownLeaks,
): KnownLeak | undefined {
  const found = matchers.find((matcher) => fits(trace, matcher.path));
  if (found === undefined) return undefined;
  const { path: _path, ...leak } = found;
  return leak;
}

/** Every part has to match a later step than the part before it. */
function fits(trace: readonly PatternStep[], path: readonly string[]): boolean {
  let at = 0;
  for (const part of path) {
    while (at < trace.length && !fitsStep(trace[at] as PatternStep, part)) at++;
    if (at++ >= trace.length) return false;
  }
  return path.length > 0;
}

const repeated = / x(?<times>\d+)$/;

function fitsStep(step: PatternStep, part: string): boolean {
  const times = Number(repeated.exec(part)?.groups?.['times'] ?? 1);
  if ((step.times ?? 1) < times) return false;
  const [what = '', script] = part.replace(repeated, '').split(' @ ');
  if (script !== undefined && !wild(script, step.script ?? '')) return false;
  if (what.startsWith('.')) return wild(what.slice(1), step.via);
  const [via = '', name] = what.split(' : ');
  return name === undefined ? wild(what, step.name) : wild(via, step.via) && wild(name, step.name);
}

function wild(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text;
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}
