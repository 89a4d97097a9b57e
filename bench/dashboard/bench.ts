import type { Benchmark } from '../row.ts';
import { governedCost } from './governed-cost.ts';
import { historyTime } from './history-time.ts';
import { pagePace } from './page-pace.ts';
import { snapshotTime } from './snapshot-time.ts';
import { topCost } from './top-cost.ts';

/** What being watched costs a governed server, how long a month of history takes, what the terminal view takes for itself, the pace of the page, and its snapshots. */
const dashboard: Benchmark = async (options) => {
  const parts = {
    cost: () => governedCost(options),
    history: () => historyTime(options),
    top: () => topCost(options),
    page: () => pagePace(options),
    snapshot: () => snapshotTime(options),
  };
  const rows = [];
  for (const [name, part] of Object.entries(parts)) {
    if (options.args.length === 0 || options.args.includes(name)) rows.push(...(await part()));
  }
  return rows;
};

export default dashboard;
