import type { AddCommand } from '../program.ts';
import { verbs } from './index.ts';
import type { Verb } from './index.ts';

/** The commands of a command line: the one that is asked for, and the help lines of the others, so that help and suggestions know every verb. */
export function commandsFor([first = '', second = '']: readonly string[]): Promise<readonly AddCommand[]> {
  const asked = first === 'help' ? second : first;
  return Promise.all(verbs.map(async (verb) => (verb.name === asked ? await verb.load() : helpLine(verb))));
}

const withOptions = '[options]';

function helpLine({ name, usage, summary }: Verb): AddCommand {
  return (program) => {
    const command = program.command(`${name} ${usage.replace(withOptions, '')}`.trim()).description(summary);
    // Only the help page sees it: it says that there are options.
    if (usage.startsWith(withOptions)) command.option('--any');
  };
}
