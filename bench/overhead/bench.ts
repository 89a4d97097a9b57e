import type { Benchmark } from '../row.ts';
import { ownMemory } from './own-memory.ts';
import { ownCost } from './own-cost.ts';
import { scale } from './scale.ts';
import { scopeSpeed } from './scope-speed.ts';
import { serverOverhead } from './server-overhead.ts';
import { startUp } from './start-up.ts';

/**
 * What Plimsoll costs a server: requests, latency, CPU, its own memory and the start. Words after the name choose parts, and
 * `server flat`, `server paced` or `server sdk` one kind of load.
 */
const overhead: Benchmark = async (options) => {
  const parts = {
    server: () => serverOverhead(options),
    scope: () => scopeSpeed(options),
    memory: () => ownMemory(options),
    start: () => startUp(options),
    scale: () => scale(options),
    own: () => ownCost(options),
  };
  const chosen = Object.entries(parts).filter(
    ([name]) => options.args.length === 0 || options.args.includes(name),
  );
  const rows = [];
  for (const [, part] of chosen) rows.push(...(await part()));
  return rows;
};

export default overhead;
