import { policyDocument } from './document.ts';
import type { JsonSchema, Shape, Table } from './form/shape.ts';

/** The JSON Schema (2020-12) of a policy file, for completion and checks in editors. */
export function policyJsonSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Plimsoll policy',
    description:
      'Rules that join several keys are checked by the loader only ("plimsoll check"): exit below enter, levels rising, budgets not above the global one, equally specific globs, fast and stale against sample, raw not longer than 1m not longer than 1h, bounds of durations and sizes.',
    ...schemaOf(policyDocument),
  };
}

function schemaOf(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case 'leaf':
      return shape.json;
    case 'table':
      return schemaOfTable(shape);
    case 'named':
      return { type: ['object', 'null'], additionalProperties: schemaOf(shape.item) };
    case 'list':
      return { type: ['array', 'null'], items: schemaOf(shape.item) };
    default:
      return { anyOf: [schemaOf(shape.word), schemaOf(shape.table)] };
  }
}

function schemaOfTable(shape: Table<unknown>): JsonSchema {
  const keys = Object.entries(shape.keys);
  const needed = keys.filter(([, key]) => key.required).map(([name]) => name);
  const properties = Object.fromEntries(
    keys.map(([name, { shape, about }]) => {
      const schema = schemaOf(shape);
      const form = typeof schema['description'] === 'string' ? ` Write ${schema['description']}` : '';
      return [name, { ...schema, description: `${about}${form}` }];
    }),
  );
  return {
    // A key without a value is null in YAML. Where no key is required, null counts as an empty map.
    type: needed.length > 0 || shape.single === true ? 'object' : ['object', 'null'],
    ...(needed.length > 0 ? { required: needed } : {}),
    ...(shape.single === true ? { minProperties: 1, maxProperties: 1 } : {}),
    properties,
    additionalProperties: false,
  };
}
