import { resolve } from 'node:path';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { printable } from '../screen/table.ts';

interface AutopsyFlags {
  readonly all?: boolean;
  readonly fleet?: string | true;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll autopsy                    why the program that ran here died
  plimsoll autopsy /var/crash/pod-7   the folder of a container that is gone, also on another machine
  plimsoll autopsy --all --json
  plimsoll autopsy pod-7 --fleet      a process of the fleet, by its id or host, from the database of PLIMSOLL_LEDGER_URL

It reads the black box that a governed process writes at each reading, the report of Node.js when V8 gave up,
and what plimsoll run saw of the end. Deaths are kept until 16 newer ones have come.`;

export const addAutopsyCommand: AddCommand = (program, io, done) => {
  program
    .command('autopsy')
    .description('say why a governed process died, and what it held')
    .argument('[folder]', 'the folder of the run; with --fleet, the id or host of a process', '.plimsoll')
    .option('--all', 'every death that the folder knows of, not only the newest')
    .option('--fleet [url]', 'ask the database of the fleet; PLIMSOLL_LEDGER_URL by default')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (folder: string, flags: AutopsyFlags) =>
      done(await (flags.fleet === undefined ? autopsy : ofFleet)(folder, flags, io)),
    );
};

/** An autopsy from the fleet's database, also when the folder of the process is lost. */
async function ofFleet(name: string, flags: AutopsyFlags, io: Io): Promise<number> {
  const { fleetUrl, withFleet } = await import('../ledger/fleet-database.ts');
  const { FleetQueries } = await import('@plimsoll/ledger/internal/postgres/queries');
  const { fleetAutopsy } = await import('../autopsy/fleet-autopsy.ts');
  const { autopsyText } = await import('../autopsy/autopsy-text.ts');
  const url = fleetUrl(flags.fleet ?? true, io.env);
  const found = await withFleet(url, (client) => fleetAutopsy(new FleetQueries(client), name));
  const { autopsy: seen, story, process, from } = found;
  const lines = [
    ...(story === null ? [] : [`${printable(process.service)}: ${printable(story)}`]),
    `process ${printable(process.id)} on ${printable(process.host)}, ${sources[from]}`,
  ];
  io.stdout.write(
    flags.json === true ? `${JSON.stringify(found, null, 2)}\n` : `${lines.join('\n')}\n${autopsyText(seen)}`,
  );
  return exitCode.fine;
}

const sources = {
  supervisor: 'as plimsoll run saw it',
  'black-box': 'from the black box that it left',
  samples: 'from the samples that it sent; its folder is lost',
} as const;

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
