import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { BuiltPrograms } from './built-programs.ts';
import type { LoadOrder, LoadReport } from './driver.ts';
import { readLedger } from './ledger-check.ts';
import type { LedgerReport } from './ledger-check.ts';
import type { ManagementReport } from './management-probe.ts';
import type { Scenario } from './scenario.ts';
import { SupervisedServer } from './supervised-server.ts';
import type { End } from './supervised-server.ts';
import type { Variant } from './variant.ts';

/** One variant in one scenario: what users saw, how the process fared, what the ledger says. */
export interface Trial extends LoadReport {
  readonly variant: string;
  readonly deaths: number;
  readonly plannedRestarts: number;
  readonly ends: readonly End[];
  readonly peakBytes: number;
  readonly ledger: LedgerReport | null;
}

/** Runs a server and its load, each in a process of its own. `keep` leaves the folder with the ledger behind. */
export async function runTrial(
  variant: Variant,
  scenario: Scenario,
  programs: BuiltPrograms,
  keep = false,
): Promise<Trial> {
  const server = await SupervisedServer.start(variant, scenario, programs);
  const driver = fork(resolve(import.meta.dirname, 'driver.ts'), {
    execArgv: ['--conditions=plimsoll-source'],
  });
  try {
    const { seed, users, thinkMs, durationMs, abandonRatio } = scenario;
    const { base, supervisor } = server;
    const order: LoadOrder = { base, supervisor, seed, users, thinkMs, durationMs, abandonRatio };
    driver.send(order);
    const [report] = (await once(driver, 'message')) as [LoadReport];
    await server.stop();
    const { ends, peakBytes } = server;
    const ledger = variant.policy === undefined ? null : readLedger(server.ledgerDir);
    return {
      ...report,
      variant: variant.name,
      deaths: ends.length,
      plannedRestarts: ledger?.restarts ?? 0,
      ends,
      peakBytes,
      ledger,
    };
  } finally {
    if (driver.connected) driver.disconnect();
    await server.stop();
    if (!keep) server.remove();
  }
}

/** Attempts inside open sessions that were served, of all of them. */
export function successRatio({ crowd: { requests } }: Trial): number {
  const all = Object.values(requests).reduce((sum, count) => sum + count, 0);
  return all === 0 ? 0 : requests.served / all;
}

export function managementRatio({ management }: Trial): number {
  return answeredRatio(management);
}

export function answeredRatio(report: ManagementReport | null): number {
  return report === null || report.asked === 0 ? 0 : report.answered / report.asked;
}
