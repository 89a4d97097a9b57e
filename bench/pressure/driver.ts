/** The load's process: takes the options of one crowd as its message and answers with what users and the operator's probe saw. */
import { Crowd } from './crowd.ts';
import type { CrowdOptions } from './crowd.ts';
import { ManagementProbe } from './management-probe.ts';
import type { ManagementReport } from './management-probe.ts';
import type { CrowdReport } from './tally.ts';

export interface LoadReport {
  readonly crowd: CrowdReport;
  readonly management: ManagementReport;
  /** Of the supervisor, when there is one: the routes that approve, explain and show. */
  readonly supervisor: ManagementReport | null;
}

export interface LoadOrder extends CrowdOptions {
  /** Null when nobody supervises. */
  readonly supervisor: string | null;
}

process.once('message', (options: LoadOrder) => {
  const probe = new ManagementProbe(options.base);
  const other = options.supervisor === null ? null : new ManagementProbe(options.supervisor, /"ok":true/);
  void new Crowd(options).run().then((crowd) => {
    const report: LoadReport = { crowd, management: probe.stop(), supervisor: other?.stop() ?? null };
    process.send?.(report, () => process.disconnect?.());
  });
});
