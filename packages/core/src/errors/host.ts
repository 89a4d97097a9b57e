import { entry } from './entry.ts';

/** Errors of the host: the parts of Plimsoll inside a governed process. */
export const hostErrors = {
  PLM_HOST_PART_FAILED: entry({
    help: 'A part of Plimsoll threw inside the governed process. The program and the other parts go on. The part is called again at the next reading.',
    text: (d: { part: string; step: string; reason: string }) => ({
      message: `the part "${d.part}" failed at ${d.step}: ${d.reason}.`,
      where: `the host, part ${d.part}`,
      fix: 'look at the reason; if it is no full disk or missing permission, report it with the output of "plimsoll doctor".',
    }),
    example: { part: 'history', step: 'take', reason: 'TypeError: cannot read properties of undefined' },
  }),
};
