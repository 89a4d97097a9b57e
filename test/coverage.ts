/** Coverage by V8, which counts every block and makes arithmetic up to eight times slower. */
import type { Profiler } from 'node:inspector';
import v8 from '@vitest/coverage-v8';
import type { CoverageProvider, CoverageProviderModule } from 'vitest/node';

/** Set for the projects whose files repeat the same lines a million times. They run without coverage; other tests count these lines. */
export const uncountedVariable = 'PLIMSOLL_UNCOUNTED';

interface Reading {
  onFileRead(coverage: { result: Profiler.ScriptCoverage[] }): void;
}

interface FileReader {
  readCoverageFiles(reading: Reading): Promise<void>;
}

/** Vitest puts a module into a function of this beginning. */
const beginning = "'use strict';".length;

/**
 * A program that a test loads may load a source of ours by Node.js itself. Its text is another one than that of Vite, so its positions mean
 * other lines. Vitest would add up both by the address of the file, and lines that ran would seem not to have. Such a script was run from
 * its first character on, and has no function of Vitest around it. One that ran in an earlier file of the same worker tells neither.
 */
function isByNode({ functions }: Profiler.ScriptCoverage): boolean {
  const begins = (at: number): boolean =>
    functions.some(
      ({ ranges: [first] }) => first !== undefined && first.startOffset === at && first.count > 0,
    );
  return begins(0) && !begins(beginning);
}

const original = v8.getProvider.bind(v8);

async function getProvider(): Promise<CoverageProvider> {
  const provider = (await original()) as CoverageProvider & FileReader;
  const read = provider.readCoverageFiles.bind(provider);
  provider.readCoverageFiles = (reading) =>
    read({
      ...reading,
      onFileRead: ({ result }) =>
        reading.onFileRead({ result: result.filter((script) => !isByNode(script)) }),
    });
  return provider;
}

const isUncounted = process.env[uncountedVariable] !== undefined;
const coverage: CoverageProviderModule = isUncounted
  ? { getProvider, startCoverage() {}, takeCoverage() {}, stopCoverage() {} }
  : Object.assign(v8, { getProvider });

export default coverage;
