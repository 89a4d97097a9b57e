import { entry } from './entry.ts';

/** Errors of looking into a running process. */
export const detectErrors = {
  PLM_ATTACH_NO_PROCESS: entry({
    help: '`plimsoll attach` and `plimsoll doctor` were given a process id that no process has (any more), or one of another PID namespace.',
    text: (d: { pid: number }) => ({
      message: `there is no process ${d.pid} here.`,
      where: `pid ${d.pid}`,
      fix: 'list the candidates with "pgrep -a node"; inside a container use the id that the container knows.',
    }),
    example: { pid: 4711 },
  }),
  PLM_ATTACH_NOT_NODE: entry({
    help: 'The process is not a Node.js binary. The signal that opens the inspector would end it, so it is not sent.',
    text: (d: { pid: number; program: string }) => ({
      message: `process ${d.pid} is "${d.program}", not Node.js.`,
      where: `pid ${d.pid}`,
      fix: 'give the id of the node process itself (pgrep -a node), not of its launcher.',
    }),
    example: { pid: 4711, program: 'bash' },
  }),
  PLM_ATTACH_OTHER_USER: entry({
    help: 'The process belongs to another user. Looking into it means running code in it, so it needs an explicit flag.',
    text: (d: { pid: number; owner: number; uid: number }) => ({
      message: `process ${d.pid} belongs to user ${d.owner}, you are ${d.uid}.`,
      where: `pid ${d.pid}`,
      fix: 'run as its user, or pass --other-user when you may do this.',
    }),
    example: { pid: 4711, owner: 1001, uid: 1000 },
  }),
  PLM_ATTACH_NOT_LOCAL: entry({
    help: 'The inspector gives everyone who reaches it the power to run code. An address that is not loopback needs an explicit flag.',
    text: (d: { address: string }) => ({
      message: `${d.address} is not on this machine.`,
      where: d.address,
      fix: 'forward the port over ssh and attach to 127.0.0.1, or pass --remote when the network is yours.',
    }),
    example: { address: '10.0.0.7:9229' },
  }),
  PLM_ATTACH_SIGNAL_OFF: entry({
    help: 'The process does not open its inspector on SIGUSR1: it was started with --disable-sigusr1, or it has no handler for the signal, which would then end it. Nothing was sent.',
    text: (d: { pid: number }) => ({
      message: `process ${d.pid} does not open its inspector on SIGUSR1.`,
      where: `pid ${d.pid}`,
      fix: 'start it with --inspect=127.0.0.1:0 or under "plimsoll run"; without either it cannot be looked into.',
    }),
    example: { pid: 4711 },
  }),
  PLM_ATTACH_PORT_TAKEN: entry({
    help: 'Another process already holds the inspector port that Node.js opens on SIGUSR1.',
    text: (d: { pid: number; port: number }) => ({
      message: `process ${d.pid} could not open its inspector: port ${d.port} belongs to another process.`,
      where: `pid ${d.pid}`,
      fix: 'close the other inspector, or start the program with --inspect-port=0 so that it takes a free port.',
    }),
    example: { pid: 4711, port: 9229 },
  }),
  PLM_ATTACH_NO_INSPECTOR: entry({
    help: 'SIGUSR1 was sent but no inspector port appeared: the program handles the signal itself, its event loop is blocked, or it lives in another network namespace.',
    text: (d: { pid: number }) => ({
      message: `process ${d.pid} opened no inspector after SIGUSR1.`,
      where: `pid ${d.pid}`,
      fix: 'check that it handles SIGUSR1 nowhere itself and is not blocked; inside a container run plimsoll there.',
    }),
    example: { pid: 4711 },
  }),
  PLM_ATTACH_LOST: entry({
    help: 'The connection to the inspector could not be made or ended while it was used, most often because the process ended.',
    text: (d: { address: string }) => ({
      message: 'the connection to the inspector was lost.',
      where: d.address,
      fix: 'check that the process still runs, then attach again.',
    }),
    example: { address: 'ws://127.0.0.1:9229/x' },
  }),
  PLM_ATTACH_PLATFORM: entry({
    help: '`plimsoll attach PID` finds the inspector through /proc, which only Linux has.',
    text: (d: { platform: string }) => ({
      message: `attaching by process id works on Linux, this is ${d.platform}.`,
      where: 'plimsoll attach',
      fix: 'start the program with --inspect and attach to its address: plimsoll attach 127.0.0.1:9229.',
    }),
    example: { platform: 'darwin' },
  }),
  PLM_ATTACH_REFUSED: entry({
    help: 'A snapshot of the process would cost more than there is. Nothing was done to it.',
    text: (d: { pid: number; reason: string }) => ({
      message: `${d.reason}.`,
      where: `pid ${d.pid}`,
      fix: 'use the readings and the allocation profile, take it on a drained replica, or pass --force.',
    }),
    example: { pid: 4711, reason: 'a snapshot of up to 9,000,000 objects needs 2.4 GiB and 1.0 GiB is free' },
  }),
};
