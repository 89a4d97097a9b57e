import { entry } from './entry.ts';

/** Errors of sensing and warnings of the meter. */
export const senseErrors = {
  PLM_SENSE_SENSOR_FAILED: entry({
    help: 'A reading could not be taken. The process goes on. Levels keep their last value, and after 15 s without a reading no action runs.',
    text: (d: { cause: string }) => ({
      message: `a reading of the process failed: ${d.cause}.`,
      where: 'the sampler (sense/sampler)',
      fix: 'look at the cause; a sandbox that hides /proc or a full descriptor table are the usual ones.',
    }),
    example: { cause: 'Error: EMFILE: too many open files, uv_resident_set_memory' },
  }),
  PLM_SENSE_BAD_OPTION: entry({
    help: 'An option of the sampler, the census or the allocation sampling is outside its bounds. Nothing was started.',
    text: (d: { option: string; value: string; accepted: string }) => ({
      message: `${d.option} is ${d.value}; it has to be ${d.accepted}.`,
      where: `option ${d.option}`,
      fix: `pass ${d.accepted}, or leave the option out for its default.`,
    }),
    example: { option: 'durationMs', value: '0', accepted: 'a number from 10 to 600000' },
  }),
  PLM_SENSE_SAMPLING_BUSY: entry({
    help: 'Allocation sites are sampled one run at a time, because V8 has one heap sampler per thread and a second run would end the first.',
    text: (d: { runningMs: number }) => ({
      message: `allocation sites are already being sampled, for ${d.runningMs} ms now.`,
      where: 'sampleAllocationSites()',
      fix: 'wait for the running call to settle, then call it again.',
    }),
    example: { runningMs: 1200 },
  }),
  PLM_SENSE_WORKER_NEAR_LIMIT: entry({
    help: 'The heap of a worker thread is near its own limit (`resourceLimits`, or the default). A worker that reaches it ends with ERR_WORKER_OUT_OF_MEMORY, and one that grows a single Map or array aborts the whole process.',
    text: (d: { name: string; usedBytes: number; limitBytes: number }) => ({
      message: `the worker ${d.name} uses ${mib(d.usedBytes)} of its ${mib(d.limitBytes)} heap (${Math.round((100 * d.usedBytes) / d.limitBytes)} %).`,
      where: `worker thread ${d.name}`,
      fix: 'give it a higher resourceLimits.maxOldGenerationSizeMb or less work at a time, or do the work in a child process.',
    }),
    example: { name: 'parser', usedBytes: 60_817_408, limitBytes: 67_108_864 },
  }),
  PLM_METER_RULES_DIFFER: entry({
    help: 'At its first use the meter compares its layout rules with the running Node. When they differ, for instance on a build with pointer compression, sizes are still reported, but the bracket [lo, hi] is widened by the ratio found. The process is not harmed.',
    text: (d: { node: string; lo: number; hi: number }) => ({
      message: `values of this Node take ${d.lo.toFixed(2)} to ${d.hi.toFixed(2)} times the bytes the meter expects, so its brackets are widened.`,
      where: `meter self-check, Node ${d.node}`,
      fix: 'read lo and hi instead of bytes, or run a 64-bit build of Node 22, 24 or 26 without pointer compression.',
    }),
    example: { node: 'v24.21.0', lo: 0.52, hi: 1 },
  }),
};

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
