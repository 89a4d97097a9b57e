import { version } from '@plimsoll/core/internal/version';
import type { Route } from './route.ts';
import { schemas } from './schema.ts';

/** The OpenAPI 3.1 description of a list of routes. */
export function describeRoutes(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operation(route);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Plimsoll',
      version,
      description:
        'Memory governance of a Node.js process: memory, findings, actions and open approvals. No content of the heap.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of .plimsoll/token, or of an approver.',
        },
      },
    },
  };
}

function operation(route: Route): object {
  const parts = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => ({
    name: match[1] as string,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const query = (route.query ?? []).map((part) => ({
    name: part.name,
    in: 'query',
    required: part.required === true,
    description: part.description,
    schema: { type: part.type },
  }));
  const pid = {
    name: 'pid',
    in: 'query',
    required: false,
    description: 'The id of a process in /api/processes; the newest running one when left out.',
    schema: { type: 'string' },
  };
  return {
    operationId: operationId(route),
    summary: route.summary,
    parameters: [...parts, ...query, ...(route.ofProcess === true ? [pid] : [])],
    ...(route.body === undefined ? {} : { requestBody: { required: true, content: content(route.body) } }),
    responses: {
      200: { description: route.summary, content: content(route.answer) },
      default: { description: 'The fault and its fix', content: content('ErrorAnswer') },
    },
    security: route.access === 'open' || route.access === 'link' ? [] : [{ bearer: [] }],
  };
}

function operationId({ method, path }: Route): string {
  const words = path.split(/[^a-z]+/i).filter((word) => word !== '' && word !== 'api');
  return [method, ...words]
    .map((word, i) => (i === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join('');
}

function content(name: string): object {
  return name.includes('/')
    ? { [name]: { schema: { type: 'string' } } }
    : { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}
