import { entry } from './entry.ts';

/** Errors of the host: the parts of Plimsoll inside a governed process, and the folder that it shares with its watchers. */
export const hostErrors = {
  PLM_PATH_FOREIGN: entry({
    help: 'A folder, file or socket of Plimsoll could have been made or replaced by another user of this machine. It is neither read nor written. An approver list in it would let that user approve our work, a link in it would make us overwrite a file, and a socket would get our token.',
    text: (d: { path: string; reason: string }) => ({
      message: `${d.path} is not trusted: ${d.reason}.`,
      where: d.path,
      fix: 'run as the user that owns it, remove it, or name a folder of your own with PLIMSOLL_DIR or --dir.',
    }),
    example: {
      path: '/srv/app/.plimsoll',
      reason: 'it belongs to user 1001, and this process runs as user 1000',
    },
  }),
  PLM_RUN_NO_FOLDER: entry({
    help: 'The folder of a run cannot be used: the file system is read-only, permission is missing, or it belongs to another user. The program is started anyway. It has no ledger, it cannot be watched, and its leaks are not proved.',
    text: (d: { dir: string; reason: string }) => ({
      message: `the program runs without a ledger and cannot be watched: ${d.reason.replace(/\.$/, '')}.`,
      where: d.dir,
      fix: 'name a folder that this user may write: plimsoll run --dir /var/tmp/plimsoll -- ...',
    }),
    example: { dir: '/app/.plimsoll', reason: "EROFS: read-only file system, mkdir '/app/.plimsoll'" },
  }),
  PLM_RUN_OLD_NODE: entry({
    help: 'The program would be run by a Node.js that is too old for the host, which is loaded into it. The program is not started.',
    text: (d: { command: string; version: string }) => ({
      message: `a governed program needs Node 22.12 or newer; this is ${d.version}.`,
      where: d.command,
      fix: 'run the program with a newer Node.js, such as "plimsoll run -- /path/to/node server.js".',
    }),
    example: { command: '/usr/bin/node', version: 'v20.20.2' },
  }),
  PLM_RUN_FEW_FILES: entry({
    help: 'The process may have only a few files and sockets open at a time. The program is started anyway. Its ledger or its feed may fail with EMFILE.',
    text: (d: { limit: number; needed: number }) => ({
      message: `only ${d.limit} files may be open at a time; a governed program needs ${d.needed} in addition to its own.`,
      where: 'the limit of open files (ulimit -n)',
      fix: 'raise the limit before the program is started, such as by "ulimit -n 1024".',
    }),
    example: { limit: 24, needed: 64 },
  }),
  PLM_HOST_PART_FAILED: entry({
    help: 'A part of Plimsoll threw inside the governed process. The program and the other parts go on. The part is called again at the next reading.',
    text: (d: { part: string; step: string; reason: string }) => ({
      message: `the part "${d.part}" failed at ${d.step}: ${d.reason}.`,
      where: `the host, part ${d.part}`,
      fix: 'look at the reason; if it is not a full disk or a missing permission, report it with the output of "plimsoll doctor".',
    }),
    example: { part: 'history', step: 'take', reason: 'TypeError: cannot read properties of undefined' },
  }),
};
