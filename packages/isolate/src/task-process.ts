/** Main file of the process of a task. It loads the module and answers. Arguments: module, export, bytes of the guard. */
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { exposedGc } from '@plimsoll/core/internal/exposed-gc';
import { flagsFor, moduleBeside } from '@plimsoll/core/internal/own-module';
import { guardPlaces, tellGuard } from './guard.ts';
import type { GuardData } from './guard.ts';
import { TaskRunner } from './task-runner.ts';
import type { FromTask, ToTask } from './wire.ts';

const [, , module = '', name = 'default', guardBytes = '0'] = process.argv;
const shared = new Int32Array(new SharedArrayBuffer(4 * guardPlaces));
const data: GuardData = {
  parent: process.ppid,
  baseBytes: process.memoryUsage.rss(),
  guardBytes: Number(guardBytes),
  shared: shared.buffer,
  fd: 4,
};
const thread = moduleBeside('guard-thread', import.meta.url);
const guard = new Worker(thread, {
  workerData: data,
  execArgv: flagsFor(thread),
  env: {},
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
});
// Without its guard a task has no limit on buffers and native memory.
guard.on('error', () => process.kill(process.pid, 'SIGKILL'));
guard.unref();

// Tasks must not see our arguments.
process.argv.length = 2;
process.once('disconnect', () => process.exit());

const runner = new TaskRunner({
  send: (message: FromTask) => {
    if (process.connected) process.send?.(message);
  },
  used: () => {
    const { used_heap_size, external_memory } = getHeapStatistics();
    return used_heap_size + external_memory;
  },
  collect: () => exposedGc()?.(),
  onBusy: (isBusy) => tellGuard(shared, isBusy),
});
process.on('message', (message: ToTask) => runner.receive(message));
try {
  runner.use((await import(module)) as Record<string, unknown>, name);
} catch (error) {
  runner.failed(error);
}
