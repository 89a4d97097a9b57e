import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { policyJsonSchema } from './json-schema.ts';
import { accepted, problemsOf, refused, withHeader } from './policy.fixture.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

const typeOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : Number.isInteger(value)
        ? 'integer'
        : typeof value;

/** A validator for the words our schema uses; it stands in for the editor's. */
function fits(schema: Schema, value: unknown): boolean {
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (types && !types.includes(typeOf(value))) return false;
  if (schema.enum && !schema.enum.includes(value)) return false;
  if (schema.pattern && typeof value === 'string' && !new RegExp(schema.pattern).test(value)) return false;
  if (schema.minimum !== undefined && typeof value === 'number' && value < schema.minimum) return false;
  if (schema.maximum !== undefined && typeof value === 'number' && value > schema.maximum) return false;
  if (schema.anyOf && !schema.anyOf.some((option) => fits(option, value))) return false;
  if (Array.isArray(value)) return value.every((item) => fits(schema.items ?? {}, item));
  return typeof value !== 'object' || value === null || fitsObject(schema, value);
}

function fitsObject(schema: Schema, value: object): boolean {
  const keys = Object.keys(value);
  if (schema.required?.some((key) => !keys.includes(key))) return false;
  if (keys.length < (schema.minProperties ?? 0) || keys.length > (schema.maxProperties ?? Infinity))
    return false;
  return Object.entries(value).every(([key, item]) => {
    const own = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
    const rule = own ?? schema.additionalProperties ?? true;
    return typeof rule === 'boolean' ? rule : fits(rule, item);
  });
}

const schema = policyJsonSchema() as Schema;

describe('the schema and the loader judge alike', () => {
  test.each(Object.entries(accepted))('accepted: %s', (_, text) => {
    expect(problemsOf(text)).toBe('');
    expect(fits(schema, parse(text))).toBe(true);
  });

  test.each(Object.entries(refused))('refused: %s', (_, text) => {
    expect(problemsOf(text)).not.toBe('');
    expect(fits(schema, parse(text))).toBe(false);
  });
});

test('rules across keys and bounds are the loader’s alone, and the schema says so', () => {
  const text = withHeader('levels: { warning: { enter: 50%, exit: 55% } }\nsignal: { sample: 2h }');
  expect(problemsOf(text)).toContain('PLM_POLICY_LEVEL_GAP');
  expect(fits(schema, parse(text))).toBe(true);
  expect(policyJsonSchema()['description']).toMatchInlineSnapshot(
    `"Rules that join several keys are checked by the loader only ("plimsoll check"): exit below enter, levels rising, budgets not above the global one, equally specific globs, fast and stale against sample, raw not longer than 1m not longer than 1h, bounds of durations and sizes."`,
  );
});

test('every key carries its sentence for the editor', () => {
  const bare: string[] = [];
  const visit = (at: Schema & { description?: string }, path: string): void => {
    for (const option of at.anyOf ?? []) visit(option, path);
    for (const [key, item] of Object.entries(at.properties ?? {})) {
      if (!(item as { description?: string }).description?.match(/\w+.*\.$/)) bare.push(`${path}.${key}`);
      visit(item, `${path}.${key}`);
    }
  };
  visit(schema, '');
  expect(bare).toEqual([]);
});
