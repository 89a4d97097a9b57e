import type { AddCommand } from '../program.ts';
import { verbs } from './index.ts';
import type { Verb } from './index.ts';

/** The commands for a command line: the named one, and the help lines of all others for help and suggestions. */
export function commandsFor([first = '', second = '']: readonly string[]): Promise<readonly AddCommand[]> {
  const asked = first === 'help' ? second : first;
  return Promise.all(verbs.map(async (verb) => (verb.name === asked ? await verb.load() : helpLine(verb))));
}

const withOptions = '[options]';

function helpLine({ name, usage, summary }: Verb): AddCommand {
  return (program) => {
    const command = program.command(`${name} ${usage.replace(withOptions, '')}`.trim()).description(summary);
    // Only the help page uses it, to show that the command has options.
    if (usage.startsWith(withOptions)) command.option('--any');
  };
}
