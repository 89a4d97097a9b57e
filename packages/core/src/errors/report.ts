import { entry } from './entry.ts';

/** Errors of reports, stress runs, gates and bisections. */
export const reportErrors = {
  PLM_REPORT_UNREADABLE: entry({
    help: 'A file that has to be a report is not one. Reports are the JSON files that `plimsoll run --report`, `attach --report`, `stress` and `gate` write.',
    text: (d: { file: string; reason: string }) => ({
      message: `${d.file} is not a report: ${d.reason}.`,
      where: d.file,
      fix: 'name a JSON file written by "plimsoll run --report out.json -- node server.js".',
    }),
    example: { file: 'out.json', reason: 'it has no field "plimsoll" with the version that wrote it' },
  }),
};
