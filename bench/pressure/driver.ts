/** The load's process: takes the options of one crowd as its message and answers with what users and the operator's probe saw. */
import { Crowd } from './crowd.ts';
import type { CrowdOptions } from './crowd.ts';
import { ManagementProbe } from './management-probe.ts';
import type { ManagementReport } from './management-probe.ts';
import type { CrowdReport } from './tally.ts';

export interface LoadReport {
  readonly crowd: CrowdReport;
  readonly management: ManagementReport;
}

process.once('message', (options: CrowdOptions) => {
  const probe = new ManagementProbe(options.base);
  void new Crowd(options).run().then((crowd) => {
    const report: LoadReport = { crowd, management: probe.stop() };
    process.send?.(report, () => process.disconnect?.());
  });
});
