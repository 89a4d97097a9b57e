import { entry } from './entry.ts';

/** Errors of the command line. */
export const cliErrors = {
  PLM_CLI_NO_COMMAND: entry({
    help: '`plimsoll run` needs the command of the program to govern after two dashes.',
    text: (d: { verb: string }) => ({
      message: 'there is no command to run.',
      where: `plimsoll ${d.verb}`,
      fix: 'put it after two dashes: plimsoll run -- node server.js.',
    }),
    example: { verb: 'run' },
  }),
  PLM_CLI_CANNOT_START: entry({
    help: 'The operating system refused to start the command given to `plimsoll run`; nothing was governed.',
    text: (d: { command: string; reason: string }) => ({
      message: `"${d.command}" could not be started: ${d.reason}.`,
      where: `plimsoll run -- ${d.command}`,
      fix: 'check the name and that it is on the PATH.',
    }),
    example: { command: 'nod', reason: 'ENOENT' },
  }),
  PLM_CLI_NO_PAGE: entry({
    help: '`plimsoll docs WORD` found no page, section or line for the word.',
    text: (d: { word: string; pages: readonly string[] }) => ({
      message: `nothing in the documentation mentions "${d.word}".`,
      where: `plimsoll docs ${d.word}`,
      fix: `try another word, or one of the pages: ${d.pages.join(', ')}.`,
    }),
    example: { word: 'goroutine', pages: ['README', 'reference/policy'] },
  }),
  PLM_CLI_NO_SERVER: entry({
    help: '`plimsoll open` makes a link to a dashboard that runs: one of `plimsoll dev`, `plimsoll serve` or `plimsoll run --status`.',
    text: (d: { dir: string }) => ({
      message: 'no dashboard is served from this folder.',
      where: d.dir,
      fix: 'start one with "plimsoll serve", or name its folder with --dir.',
    }),
    example: { dir: '.plimsoll' },
  }),
  PLM_CLI_NO_PROCESS: entry({
    help: '`plimsoll top` watches a process started by `plimsoll run` (or with the preload) whose descriptor lies in the `.plimsoll` folder.',
    text: (d: { dir: string; pid: number | null }) => ({
      message:
        d.pid === null
          ? 'no governed process is running here.'
          : `process ${d.pid} is not governed from here or has ended.`,
      where: d.dir,
      fix: 'start one with "plimsoll run -- node server.js", or name its folder with --dir.',
    }),
    example: { dir: '.plimsoll', pid: null } as { dir: string; pid: number | null },
  }),
  PLM_CLI_PORT_TAKEN: entry({
    help: 'The dashboard could not listen on the port asked for. The program was not started.',
    text: (d: { port: number; reason: string; host?: string; option?: string }) => ({
      message: `port ${d.port} of ${d.host ?? '127.0.0.1'} cannot be used: ${d.reason}.`,
      where: d.option ?? '--status',
      fix: 'choose another port, or 0 for any free one.',
    }),
    example: { port: 7433, reason: 'EADDRINUSE' },
  }),
  PLM_CLI_BAD_OPTION: entry({
    help: 'An option of a command has a value outside what it accepts.',
    text: (d: { option: string; value: string; accepted: string }) => ({
      message: `${d.option} is "${d.value}"; it has to be ${d.accepted}.`,
      where: d.option,
      fix: `pass ${d.accepted}.`,
    }),
    example: { option: '--fail-on', value: 'bad', accepted: 'one of info, low, medium, high, critical' },
  }),
  PLM_CLI_CANNOT_WRITE: entry({
    help: 'A file the user asked for could not be written. The run itself is not affected.',
    text: (d: { file: string; reason: string }) => ({
      message: `${d.file} could not be written: ${d.reason}.`,
      where: d.file,
      fix: 'check that its folder exists and may be written.',
    }),
    example: { file: 'out.json', reason: 'EACCES: permission denied' },
  }),
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
