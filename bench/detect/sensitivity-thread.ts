/** One thread of the sensitivity table: it moves its own table of parameters and tells each line as it is known. */
import { parentPort, workerData } from 'node:worker_threads';
import { measureShare } from './sensitivity.ts';
import type { SensitivityShare } from './sensitivity.ts';

await measureShare(workerData as SensitivityShare, (name, text) => parentPort?.postMessage({ name, text }));
