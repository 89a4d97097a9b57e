/** Preload that puts any program with scopes under census and records the evidence after some seconds. */
import { roster } from '@plimsoll/core/internal/scope/index';
import { Census } from '@plimsoll/core/internal/sense/census/census';
import { Sampler } from '@plimsoll/core/internal/sense/sampler';
import { processSensor } from '@plimsoll/leak/internal/floor/floor-watch';
import { recordEvidence } from './evidence.ts';

const { CENSUS_OUT: outFile = '', CENSUS_SECONDS: seconds = '60' } = process.env;
const sampler = new Sampler({ sensor: processSensor(), scopes: () => roster.count });
const census = new Census({ roster, self: sampler.self });
sampler.start();
census.start();
setTimeout(
  () => {
    void recordEvidence(outFile, census, sampler, () =>
      Promise.resolve({ offShares: [], onShares: [] }),
    ).then(() =>
      // The load generator goes down with its server.
      process.kill(process.pid, 'SIGTERM'),
    );
  },
  1000 * Number(seconds),
);
