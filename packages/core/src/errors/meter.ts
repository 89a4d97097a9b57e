import { entry } from './entry.ts';

/** Warnings of the meter. */
export const meterErrors = {
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
