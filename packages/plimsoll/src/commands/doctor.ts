import { join, resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import type { Diagnosis } from '../doctor/diagnosis.ts';
import type { ProcLook } from '../doctor/proc-look.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { version } from '@plimsoll/core/internal/version';

interface DoctorOptions {
  readonly dir: string;
  readonly showNames?: boolean;
  readonly otherUser?: boolean;
  readonly inspect?: boolean;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll doctor
  plimsoll doctor 4711
  plimsoll doctor 4711 --json > diagnosis.json

The page holds numbers, kinds and codes only; names of scopes are hashed unless --show-names is given.
Of a process that is not governed only /proc is read. --inspect asks V8 instead: the inspector is opened on 127.0.0.1 for about a second
and closed again; until then every user of this machine can run code in the process as its owner.`;

export const addDoctorCommand: AddCommand = (program, io, done) => {
  program
    .command('doctor')
    .description('say where the memory of a process is and what to do, safe to paste anywhere')
    .argument('[pid]', 'the process; without one this machine and folder')
    .option('--dir <folder>', 'folder of the governed processes and their ledger', '.plimsoll')
    .option('--show-names', 'show the names of scopes; they may be personal')
    .option('--other-user', 'examine a process of another user')
    .option('--inspect', 'ask V8 through the inspector; any local user can run code in the process meanwhile')
    .option('--json', 'print it as JSON')
    .addHelpText('after', help)
    .action(async (pid: string | undefined, options: DoctorOptions) => {
      done(await doctor(pid, options, io));
    });
};

async function doctor(text: string | undefined, options: DoctorOptions, io: Io): Promise<number> {
  const dir = resolve(io.cwd, options.dir);
  if (text === undefined) {
    const { examineMachine, machineText } = await import('../doctor/machine.ts');
    const machine = examineMachine(dir, join(dir, 'ledger'), version, Date.now());
    io.stdout.write(options.json === true ? `${JSON.stringify(machine, null, 2)}\n` : machineText(machine));
    return 0;
  }
  if (!/^[1-9]\d{0,9}$/.test(text)) {
    throw failure('PLM_CLI_BAD_OPTION', { option: 'PID', value: text, accepted: 'a process id' });
  }
  const found = await diagnose(Number(text), dir, options, io);
  const { diagnosisText } = await import('../doctor/diagnosis-text.ts');
  const { procText } = await import('../doctor/proc-look.ts');
  const page = (): string => (found.by === 'proc' ? procText(found) : diagnosisText(found));
  io.stdout.write(options.json === true ? `${JSON.stringify(found, null, 2)}\n` : page());
  return 0;
}

/** A governed process answers itself. For any other process /proc is read, or its inspector is asked if the user allowed it. */
async function diagnose(
  pid: number,
  dir: string,
  options: DoctorOptions,
  io: Io,
): Promise<Diagnosis | ProcLook> {
  const { diagnoseFrame, diagnoseVitals } = await import('../doctor/diagnosis.ts');
  const { nextFrame } = await import('../doctor/next-frame.ts');
  const frame = await nextFrame(dir, pid);
  if (frame !== undefined) return diagnoseFrame(frame, version, options.showNames === true);
  const { Attached } = await import('../attach/attached.ts');
  const { attachable, findInspector } = await import('../attach/find-inspector.ts');
  const facts = attachable(pid, { otherUser: options.otherUser === true });
  if (options.inspect !== true) {
    const { lookAtProc } = await import('../doctor/proc-look.ts');
    return lookAtProc(facts, version);
  }
  io.stderr.write(
    `plimsoll: the inspector of ${pid} is open to every user of this machine until this command ends.\n`,
  );
  const target = await Attached.open(await findInspector(facts), pid);
  try {
    return diagnoseVitals(await target.vitals(), version);
  } finally {
    await target.close();
  }
}
