import { existsSync } from 'node:fs';

/**
 * Lets Node write its report when V8 gives up, into our folder, unless the program has its own settings for reports. It needs nothing but
 * Node.js, so the preload calls it at once. A process that dies before the host is loaded then leaves at least this report.
 */
export function reportFatalErrors(dir: string): void {
  const { report } = process;
  // Node complains on stderr when it cannot write there.
  if (!existsSync(dir)) return;
  if (report === undefined || report.reportOnFatalError || report.directory !== '' || report.filename !== '')
    return;
  report.reportOnFatalError = true;
  report.directory = dir;
  report.filename = `fatal-${process.pid}.json`;
  report.compact = true;
  // Its environment may hold secrets, and looking up the names of peers may take seconds.
  const settings = report as { excludeEnv?: boolean; excludeNetwork?: boolean };
  settings.excludeEnv = true;
  settings.excludeNetwork = true;
}
