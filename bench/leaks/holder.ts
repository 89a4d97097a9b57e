import type { FindingStep } from '@plimsoll/leak/internal/findings/finding';

/** What a correct report names, from the manifest. */
export interface Expectation {
  readonly holder: string;
  readonly objects: readonly string[];
}

/** Words that say nothing about which leak it is. */
const generic =
  /^(?:array|map|set|object|also|the|used|as|dictionary|list|long|lived|caller|recursive|few|bytes|of|js|each|behind|leaked|string|values|embeddings|chunks|request|and|closure|wrappers|resolver)$/i;

/** True when the trace speaks the holder's own names: all identifiers of its first alternative, or one of its objects that is not generic. */
export function namesHolder(trace: readonly FindingStep[], { holder, objects }: Expectation): boolean {
  const text = trace.map((step) => `${step.via} ${step.name}`).join(' ');
  const [wanted = '', also = ''] = (holder.split('->')[0] ?? '').split('(also');
  const alternatives = [...wanted.split(' / '), ...also.split(',')]
    .map(identifiers)
    .filter((names) => names.length > 0);
  if (alternatives.some((names) => names.every((name) => text.includes(name)))) return true;
  return objects.flatMap(identifiers).some((name) => text.includes(name));
}

function identifiers(text: string): string[] {
  return (text.match(/[#A-Za-z_$][\w$]*/g) ?? []).filter((word) => !generic.test(word) && word.length > 3);
}
