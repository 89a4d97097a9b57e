import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { HttpClient } from './http-client.ts';
import { recipeFromOpenApi } from './from-openapi.ts';
import { emptyRecipe, isObject, step } from './recipe.ts';
import type { Recipe, SessionPlan } from './recipe.ts';

/** A route in the source of a program. */
interface NamedRoute {
  readonly method: string;
  readonly path: string;
}

const commonPaths = [
  '/',
  '/healthz',
  '/health',
  '/readyz',
  '/status',
  '/metrics',
  '/api',
  '/v1/models',
  '/docs',
];
const documentPaths = ['/openapi.json', '/api/openapi.json', '/swagger.json', '/docs/json', '/v3/api-docs'];
const mostFiles = 60;
const mostRoutes = 60;
const mostFileBytes = 512 * 1024;
const probeMs = 5000;

/** A recipe from the program itself: its OpenAPI document, or the routes in its source that answer. */
export async function discover(client: HttpClient, entry: string | undefined): Promise<Recipe> {
  for (const path of documentPaths) {
    const { status, text } = await client.call(step('GET', path), { timeoutMs: probeMs });
    const document = status === 200 ? parse(text) : undefined;
    if (!isObject(document) || !isObject(document['paths'])) continue;
    const found = recipeFromOpenApi(document, `${path} of the program`);
    if (found.sessions.length > 0) return found;
  }
  const named = entry === undefined ? [] : routesOf(entry);
  const linked = await linksOf(client);
  const gets = [
    ...new Set([
      ...linked,
      ...named.filter(({ method }) => method === 'GET').map(({ path }) => path),
      ...commonPaths,
    ]),
  ];
  const sessions: SessionPlan[] = [];
  const notTried: string[] = [];
  for (const path of gets.slice(0, mostRoutes)) {
    if (/[:{*]/.test(path)) {
      notTried.push(`GET ${path}: its parameters are not known.`);
      continue;
    }
    const result = await client.call(step('GET', path), { timeoutMs: probeMs });
    if (result.error === null && result.status < 400) sessions.push(single('GET', path));
  }
  for (const { method, path } of named.filter((each) => each.method !== 'GET').slice(0, mostRoutes)) {
    const isSafe = method === 'POST' && !/[:{*]/.test(path);
    const body = { text: '{text}' };
    const result = isSafe
      ? await client.call(step(method, path, { body: { text: 'hello' } }), { timeoutMs: probeMs })
      : undefined;
    if (result !== undefined && result.error === null && result.status < 400)
      sessions.push({ name: `${method} ${path}`, weight: 1, steps: [step(method, path, { body })] });
    else
      notTried.push(
        `${method} ${path}: ${result === undefined ? 'it changes state' : `it answered ${result.error ?? result.status} to {"text":"hello"}`}. A recipe can say what to send.`,
      );
  }
  return { ...emptyRecipe, source: 'routes that answered', sessions, notTried };
}

/** Paths that the start page links to. */
async function linksOf(client: HttpClient): Promise<readonly string[]> {
  const { text } = await client.call(step('GET', '/'), { timeoutMs: probeMs });
  const found = [...text.matchAll(/href=["']?(\/?[\w./-]+)["' >]/g)].map(([, path = '']) => path);
  return [...new Set(found.map((path) => (path.startsWith('/') ? path : `/${path}`)))].slice(0, mostLinks);
}

const mostLinks = 20;

function single(method: string, path: string): SessionPlan {
  return { name: `${method} ${path}`, weight: 1, steps: [step(method, path)] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const routeCall = /\.(get|post|put|patch|delete|all)\(\s*(['"`])(\/[^'"`\s]*)\2/g;
const comparedPath = /(?:pathname|url|path)\s*===?\s*(['"`])(\/[^'"`\s]*)\1/g;
const importing = /(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;
const endings = ['', '.ts', '.js', '.mjs', '.cjs', '.mts', '/index.ts', '/index.js'];

/**
 * Routes that the source of a program names: `app.get('/users')`, `pathname === '/users'`. It follows imports of the program's own files,
 * but not packages.
 */
export function routesOf(entry: string): readonly NamedRoute[] {
  const files = [entry];
  const found = new Map<string, NamedRoute>();
  for (let i = 0; i < files.length && i < mostFiles; i++) {
    const file = files[i] as string;
    const source = sourceOf(file);
    if (source === undefined) continue;
    for (const [, method = '', , path = ''] of source.matchAll(routeCall)) {
      const name = method === 'all' ? 'GET' : method.toUpperCase();
      found.set(`${name} ${path}`, { method: name, path });
    }
    for (const [, , path = ''] of source.matchAll(comparedPath))
      found.set(`GET ${path}`, { method: 'GET', path });
    for (const [, target = ''] of source.matchAll(importing)) {
      const next = fileOf(resolve(dirname(file), target));
      if (next !== undefined && !files.includes(next)) files.push(next);
    }
  }
  return [...found.values()].slice(0, 2 * mostRoutes);
}

function fileOf(path: string): string | undefined {
  for (const ending of endings) {
    try {
      if (statSync(path + ending).isFile()) return path + ending;
    } catch {
      // The file does not exist with this ending. The next one is tried.
    }
  }
  return undefined;
}

function sourceOf(file: string): string | undefined {
  try {
    return statSync(file).size > mostFileBytes ? undefined : readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The file that a command starts: the first argument that is one. */
export function entryOf(command: readonly string[], cwd: string): string | undefined {
  for (const word of command.slice(1)) {
    if (word.startsWith('-')) continue;
    const file = fileOf(resolve(cwd, word));
    if (file !== undefined) return file;
  }
  return undefined;
}
