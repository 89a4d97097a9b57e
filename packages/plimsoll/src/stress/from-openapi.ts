import { emptyRecipe, fieldOf, isObject, step } from './recipe.ts';
import type { Recipe, SessionPlan } from './recipe.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
const mostOperations = 200;
const mostDepth = 6;

/** A recipe that calls every operation of an OpenAPI document separately, with its examples. */
export function recipeFromOpenApi(document: Readonly<Record<string, unknown>>, file: string): Recipe {
  const sessions: SessionPlan[] = [];
  const notTried: string[] = [];
  const paths = isObject(document['paths']) ? document['paths'] : {};
  for (const [path, item] of Object.entries(paths)) {
    if (!isObject(item)) continue;
    for (const method of methods) {
      const operation = item[method];
      if (!isObject(operation) || sessions.length >= mostOperations) continue;
      const name = `${method.toUpperCase()} ${path}`;
      const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((each) =>
        resolved(each, document),
      );
      const filled = fillPath(path, parameters, document);
      if (filled === undefined) {
        notTried.push(`${name}: a parameter of its path has no example.`);
        continue;
      }
      if (method === 'delete') {
        notTried.push(`${name}: deleting is left to a recipe that says what.`);
        continue;
      }
      const body = bodyOf(operation, document);
      sessions.push({ name, weight: 1, steps: [step(method, filled, { body })] });
    }
  }
  const [server] = listOf(document['servers']);
  const url = isObject(server) && typeof server['url'] === 'string' ? server['url'] : '';
  const base = /^https?:\/\/[^/]+(\/.*)?$/.exec(url)?.[1] ?? (url.startsWith('/') ? url : '');
  const prefix = base.replace(/\/$/, '');
  return {
    ...emptyRecipe,
    source: file,
    sessions: sessions.map((each) => ({
      ...each,
      steps: each.steps.map((one) => ({ ...one, path: prefix + one.path })),
    })),
    notTried,
  };
}

function fillPath(
  path: string,
  parameters: readonly unknown[],
  document: Readonly<Record<string, unknown>>,
): string | undefined {
  const query = new URLSearchParams();
  let filled = path;
  for (const each of parameters) {
    if (!isObject(each) || typeof each['name'] !== 'string') continue;
    const schema = resolved(each['schema'], document);
    const example =
      each['example'] ??
      (isObject(schema) ? (schema['example'] ?? schema['default'] ?? sample(schema, document)) : undefined);
    if (each['in'] === 'path' && example !== undefined)
      filled = filled.replace(`{${each['name']}}`, encodeURIComponent(plain(example)));
    if (each['in'] === 'query' && each['required'] === true) query.set(each['name'], plain(example ?? 1));
  }
  if (/\{[^}]+\}/.test(filled)) return undefined;
  return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}

function bodyOf(
  operation: Readonly<Record<string, unknown>>,
  document: Readonly<Record<string, unknown>>,
): unknown {
  const request = resolved(operation['requestBody'], document);
  const content = fieldOf(request, 'content');
  const media = isObject(content) ? (content['application/json'] ?? Object.values(content)[0]) : undefined;
  if (!isObject(media)) return undefined;
  if (media['example'] !== undefined) return media['example'];
  const [first] = Object.values(isObject(media['examples']) ? media['examples'] : {});
  if (isObject(first) && first['value'] !== undefined) return first['value'];
  return sample(resolved(media['schema'], document), document);
}

/** The smallest value that fits a schema. */
function sample(value: unknown, document: Readonly<Record<string, unknown>>, depth = 0): unknown {
  const schema = resolved(value, document);
  if (!isObject(schema) || depth > mostDepth) return undefined;
  if (schema['example'] !== undefined) return schema['example'];
  if (schema['default'] !== undefined) return schema['default'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [choice] = [...listOf(schema['allOf']), ...listOf(schema['oneOf']), ...listOf(schema['anyOf'])];
  if (choice !== undefined && schema['properties'] === undefined) return sample(choice, document, depth + 1);
  switch (schema['type']) {
    case 'string':
      return schema['format'] === 'date-time' ? '2026-07-01T10:00:00Z' : 'text';
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return true;
    case 'array':
      return [sample(schema['items'], document, depth + 1)].filter((each) => each !== undefined);
    default: {
      const properties = isObject(schema['properties']) ? schema['properties'] : {};
      return Object.fromEntries(
        Object.entries(properties).map(([key, each]) => [key, sample(each, document, depth + 1)]),
      );
    }
  }
}

/** Follows `$ref` inside the document. */
function resolved(value: unknown, document: Readonly<Record<string, unknown>>): unknown {
  let found = value;
  for (let hops = 0; hops < 10 && isObject(found) && typeof found['$ref'] === 'string'; hops++) {
    const ref: string = found['$ref'];
    if (!ref.startsWith('#/')) return undefined;
    found = fieldOf(document, ref.slice(2).replaceAll('/', '.'));
  }
  return found;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A parameter as text. Lists and objects are written as JSON. */
function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
