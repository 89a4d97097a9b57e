/** The guard thread in the process of a task. It checks the memory while the task's own thread is busy. Its rules are in guard.ts. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { Guard, GuardPace, GuardPlace } from './guard.ts';
import type { GuardData } from './guard.ts';

const data = workerData as GuardData;
const guard = new Guard(data);
const shared = new Int32Array(data.shared);
const pace = new GuardPace(shared);

for (;;) {
  const wakes = Atomics.load(shared, GuardPlace.wakes);
  Atomics.wait(shared, GuardPlace.wakes, wakes, pace.next());
  const { line, ends } = guard.judge({ rssBytes: process.memoryUsage.rss(), parent: process.ppid });
  if (line !== undefined) {
    try {
      writeSync(data.fd, line);
    } catch {
      // The parent is gone or has stopped reading. The next check decides.
    }
  }
  if (ends) process.kill(process.pid, 'SIGKILL');
}
