/** The harness of the corpus with `drive` answered by the test kit instead of samples. The kit is not told how long a driver runs. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const harness = await import(pathToFileURL(join(process.env.PLIMSOLL_LEAKS, 'lib/harness.mjs')).href);
const { growthOf } = await import(process.env.PLIMSOLL_KIT);

export const { root, require, parseArgs, load, loadCjs, reexecWith, finish, sleep, turn } = harness;

export async function drive({ step, beforeSample, settleMs = 0 }) {
  const settle = async () => {
    await beforeSample?.();
    if (settleMs > 0) await sleep(settleMs);
  };
  const report = await growthOf((call) => step(call), {
    name: 'step',
    settle,
    dir: process.env.PLIMSOLL_KIT_DIR,
  });
  const [leak] = report.leaks;
  const { verdict, by, calls, warmup, ms, bytesPerCall, externalBytesPerCall } = report;
  const trace = leak?.trace.map(({ via, name }) => ({ via, name })) ?? [];
  process.stdout.write(
    `kit ${JSON.stringify({ verdict, by, calls, warmup, ms, bytesPerCall, externalBytesPerCall, trace, perCall: leak?.objectsPerCall })}\n`,
  );
}
