import { expect, it } from 'vitest';
import { ResourceWatch } from './resource-watch.ts';

const of = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts).flatMap(([type, count]) => Array.from({ length: count }, () => type));

it('suspects a type of resource that only grows, once', () => {
  const watch = new ResourceWatch();
  const found = Array.from({ length: 30 }, (_, i) =>
    watch.look(of({ Timeout: 20 * i, TCPSocketWrap: 100 + (i % 3), PipeWrap: 3 }), 5),
  ).flat();
  expect(found).toMatchObject([{ kind: 'timer', severity: 'low', subject: 'Timeout', times: 240 }]);
  expect(found[0]?.fix).toMatchInlineSnapshot(
    `"240 active resources of this type, more at every look: close or clear them when their work ends; plimsoll run --audit names the line that makes them."`,
  );
});

it('takes as many as the open scopes may need for usual', () => {
  const watch = new ResourceWatch();
  for (let i = 0; i < 40; i++) expect(watch.look(of({ TCPSocketWrap: 10 * i }), 10 * i)).toEqual([]);
});

it('knows the resources of this process', () => {
  const watch = new ResourceWatch();
  expect(watch.look(process.getActiveResourcesInfo(), 0)).toEqual([]);
});
