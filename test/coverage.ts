import v8 from '@vitest/coverage-v8';
import type { CoverageProviderModule } from 'vitest/node';

/** Set for the projects whose files are run without counting. */
export const uncountedVariable = 'PLIMSOLL_UNCOUNTED';

const isUncounted = process.env[uncountedVariable] !== undefined;

/**
 * Coverage by V8, which counts every block and makes arithmetic up to eight times slower. Files that repeat the same lines a million times
 * are run without it; other tests count these lines.
 */
const coverage: CoverageProviderModule = isUncounted
  ? { getProvider: () => v8.getProvider(), startCoverage() {}, takeCoverage() {}, stopCoverage() {} }
  : v8;

export default coverage;
