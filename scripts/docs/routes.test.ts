import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiRoutes } from '../../packages/plimsoll/src/server/routes.ts';
import { fleetChanges } from '../../packages/plimsoll/src/server/fleet/fleet-changes.ts';
import { fleetRoutes } from '../../packages/plimsoll/src/server/fleet/fleet-routes.ts';

test('docs/reference/server.md names every route of the API', () => {
  const page = readFileSync(new URL('../../docs/reference/server.md', import.meta.url), 'utf8');
  // "/api/fleet/{a,b}" stands for "/api/fleet/a" and "/api/fleet/b".
  const named = page.replace(/(\/api\/\w+)\/\{([\w,]+,[\w,]+)\}/g, (_, head: string, names: string) =>
    names
      .split(',')
      .map((name) => `${head}/${name}`)
      .join(' '),
  );
  const paths = [...apiRoutes, ...fleetRoutes, ...fleetChanges].map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !named.includes(path))).toEqual([]);
});
