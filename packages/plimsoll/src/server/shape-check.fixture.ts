import { schemas } from './schema.ts';
import type { Schema } from './schema.ts';

/** The places where a value differs from its schema; empty when it fits. */
export function misfits(schema: Schema, value: unknown, at = '$'): readonly string[] {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) as string;
    const found = schemas[name];
    return found === undefined ? [`${at}: no schema ${name}`] : misfits(found, value, at);
  }
  if (schema.anyOf !== undefined) {
    const all = schema.anyOf.map((each) => misfits(each, value, at));
    return all.some((each) => each.length === 0) ? [] : all.flat();
  }
  if (schema.const !== undefined) return value === schema.const ? [] : [`${at}: is not ${schema.const}`];
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) return [`${at}: ${String(value)}`];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.includes(typeOf(value)))
    return [`${at}: is ${typeOf(value)}, not ${types.join()}`];
  if (Array.isArray(value))
    return value.flatMap((each, i) => misfits(schema.items ?? {}, each, `${at}[${i}]`));
  if (typeof value === 'object' && value !== null) return objectMisfits(schema, value, at);
  return [];
}

function objectMisfits(schema: Schema, value: object, at: string): readonly string[] {
  const known = schema.properties ?? {};
  const missing = (schema.required ?? [])
    .filter((key) => !(key in value))
    .map((key) => `${at}: lacks ${key}`);
  const others = Object.entries(value).flatMap(([key, each]) => {
    const property = known[key];
    if (property !== undefined) return misfits(property, each, `${at}.${key}`);
    const rest = schema.additionalProperties;
    if (rest === false) return [`${at}: ${key} is not described`];
    return typeof rest === 'object' ? misfits(rest, each, `${at}.${key}`) : [];
  });
  return [...missing, ...others];
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
