/** Bounds that stand in the code and not in a field: `if (cache.size > most) cache.delete(oldest)`. */
import type { NamedValues } from './function-scopes.ts';
import { valueAt } from './key-sample.ts';

/** A container with the most entries that a function lets it have. */
interface CodedBound {
  readonly container: object;
  readonly bound: number;
}

/** A longer text is that of generated code, or of a whole program. */
const mostText = 20_000;
const path = String.raw`[A-Za-z_$][\w$]*(?:\.#?[A-Za-z_$][\w$]*){0,2}`;
const amount = String.raw`(?:${path}|\d[\d_]*)`;
const size = String.raw`\.(?:size|length)`;
const comparisons = [
  new RegExp(
    String.raw`(?<![\w$.])(?<name>${path})${size}\s*>=?\s*(?<most>${amount})(?![\w$.(])(?!\s*[*+/%-])`,
    'g',
  ),
  new RegExp(
    String.raw`(?<![\w$.]|[)*+/%-]\s*)(?<most>${amount})\s*<=?\s*(?<name>${path})${size}(?![\w$.])`,
    'g',
  ),
];
const mostBody = 200;
const leaves = /\b(?:return|throw|continue)\b/;

/**
 * The containers that a function keeps within a bound, by its text and the variables that it reaches, or a class by its text and the fields
 * of one of its objects as the variable `this`: where one has more entries than so
 * many, the same branch takes entries out of it. Names that are no variables around it, and bounds that are no numbers, are left out.
 */
export function codedBounds(text: string, scopes: readonly NamedValues[]): readonly CodedBound[] {
  if (text.length > mostText) return [];
  return comparisons.flatMap((comparison) =>
    Iterator.from(text.matchAll(comparison))
      .filter((found) =>
        removes(bodyOf(text.slice(found.index + found[0].length)), found.groups?.['name'] ?? ''),
      )
      .flatMap(({ groups: { name = '', most = '' } = {} }) => {
        const container = valueOf(name, scopes);
        const bound = /^\d/.test(most) ? Number(most.replaceAll('_', '')) : valueOf(most, scopes);
        return typeof container === 'object' && container !== null && typeof bound === 'number' && bound > 0
          ? [{ container, bound }]
          : [];
      })
      .toArray(),
  );
}

/** The branch after a comparison: a block up to its first closing brace, or one statement. */
function bodyOf(rest: string): string {
  const near = rest.slice(0, mostBody);
  const end = near.search(/^[\s)]*\{/.test(near) ? /\}/ : /[;}]/);
  return end < 0 ? near : near.slice(0, end);
}

function removes(body: string, name: string): boolean {
  const exact = String.raw`(?<![\w$.])${name.replaceAll(/[.$]/g, String.raw`\$&`)}`;
  const removal = new RegExp(
    String.raw`${exact}(?:\.(?:delete|shift|clear|pop|splice)\(|\.length\s*=(?!=)|\s*=(?!=))`,
  );
  const at = body.search(removal);
  return at >= 0 && !leaves.test(body.slice(0, at));
}

/** The value of a variable, or of a field of one. */
function valueOf(name: string, scopes: readonly NamedValues[]): unknown {
  const [first = '', ...fields] = name.split('.');
  const scope = scopes.find((each) => Object.hasOwn(each, first));
  return fields.reduce<unknown>(
    (owner, field) => (typeof owner === 'object' && owner !== null ? valueAt(owner, field) : undefined),
    scope?.[first],
  );
}
