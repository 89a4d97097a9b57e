import { resolve } from 'node:path';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { printable } from '../screen/table.ts';

interface AutopsyFlags {
  readonly all?: boolean;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll autopsy                    why the program that ran here died
  plimsoll autopsy /var/crash/pod-7   the folder of a container that is gone, also on another machine
  plimsoll autopsy --all --json

It reads the black box that a governed process writes at each reading, the report of Node.js when V8 gave up,
and what plimsoll run saw of the end. Deaths are kept until 16 newer ones have come.`;

export const addAutopsyCommand: AddCommand = (program, io, done) => {
  program
    .command('autopsy')
    .description('say why a governed process died, and what it was holding')
    .argument('[folder]', 'the folder of the run', '.plimsoll')
    .option('--all', 'every death that the folder knows of, not only the newest')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (folder: string, flags: AutopsyFlags) => done(await autopsy(folder, flags, io)));
};

async function autopsy(folder: string, flags: AutopsyFlags, io: Io): Promise<number> {
  const { autopsiesIn } = await import('../autopsy/examine.ts');
  const { autopsyText } = await import('../autopsy/autopsy-text.ts');
  const { deathStory } = await import('../autopsy/death-story.ts');
  const deaths = autopsiesIn(resolve(io.cwd, folder));
  const shown = flags.all === true ? deaths : deaths.slice(0, 1);
  if (flags.json === true) io.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  else if (shown.length === 0) io.stdout.write(`No death is known in ${folder}.\n`);
  else {
    const story = deathStory(deaths);
    io.stdout.write(`${story === null ? '' : `${printable(story)}\n`}${shown.map(autopsyText).join('\n')}`);
  }
  return exitCode.fine;
}
