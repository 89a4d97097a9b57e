/**
 * Preload that puts any program with scopes under census and records the evidence after some seconds.
 *
 * The parts of a session's state are registered as roots of their own. The example's registries refer to some of them by session id as
 * well, so that in the dominator tree they would belong to nobody; their contents do belong to them.
 */
import { subscribe } from 'node:diagnostics_channel';
import { roster } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { Census, Sampler } from '@plimsoll/core/sense';
import { recordEvidence } from './evidence.ts';

const { CENSUS_OUT: outFile = '', CENSUS_SECONDS: seconds = '60' } = process.env;
const sampler = new Sampler({ scopes: () => roster.count });
const census = new Census({ roster, self: sampler.self });
subscribe('plimsoll:scope.open', (message) => {
  const scope = message as Scope;
  // The root is registered after the scope was announced.
  queueMicrotask(() => {
    const state = [...roster.roots()].find((item) => item.scope === scope)?.roots[0];
    for (const part of Object.values(state ?? {}))
      if (typeof part === 'object' && part !== null) scope.root(part);
  });
});
sampler.start();
census.start();
setTimeout(
  () => {
    recordEvidence(outFile, census, sampler, { offShares: [], onShares: [] });
    // The load generator goes down with its server.
    process.kill(process.pid, 'SIGTERM');
  },
  1000 * Number(seconds),
);
