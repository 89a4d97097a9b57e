import { entry } from './entry.ts';

/** Errors of sensing. */
export const senseErrors = {
  PLM_SENSE_SENSOR_FAILED: entry({
    help: 'A reading could not be taken. The process goes on; levels are held at their last value, and after 15 s without a reading nothing is decided on the old one.',
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
};
