import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { allCommands } from './command-table.ts';

type Command = ReturnType<typeof allCommands>[number];

const root = resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
/** The commands of a page that would fail as written, each with the reason. */
export function wrongCommands(page: string): readonly string[] {
  return commandLines(readFileSync(join(root, page), 'utf8')).flatMap((line) => {
    const reason = whyWrong(line);
    return reason === undefined ? [] : [`${line}: ${reason}`];
  });
}

/** The lines of a page that begin with our command or a script of the repository, in blocks of code and between backticks. */
export function commandLines(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```(?:sh|bash|console|text)?\n([^]*?)^```/gm)].flatMap(([, block]) =>
    (block as string).replaceAll(/\\\n\s*/g, '').split('\n'),
  );
  const prose = text.replaceAll(/^```[^]*?^```/gm, '');
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] as string);
  return [...blocks, ...inline]
    .map((line) => line.replace(/^\$ /, '').trim())
    .filter((line) => /^(?:(?:npx )?plimsoll|npm run) (?!--)/.test(line));
}

/** Why a command line would fail; undefined when it works. Words after two dashes belong to another program. */
export function whyWrong(line: string): string | undefined {
  const script = /^npm run (?:-s |--silent )?([\w:-]+)/.exec(line)?.[1];
  if (script !== undefined && script !== 'plimsoll')
    return script in manifest.scripts ? undefined : `no script "${script}"`;
  const typed = line
    .replace(/^(?:npm run plimsoll --|npx plimsoll|plimsoll) /, '')
    .replace(/(?: {2,}| #).*$/, '');
  return whyUnknown(allCommands(), (typed.split(/ -- | --$/)[0] as string).split(/\s+/));
}

function whyUnknown(commands: readonly Command[], words: readonly string[]): string | undefined {
  const [verb, ...rest] = words;
  const command = commands.find((each) => each.name() === verb);
  if (command === undefined) return `no command "${verb}"`;
  const inner = command.commands.find((each) => each.name() === rest[0]);
  if (inner !== undefined) return whyUnknown(command.commands, rest);
  const known = new Set(['--help', ...command.options.flatMap(({ long, short }) => [long, short])]);
  const unknown = rest
    .flatMap((word) => /^\[?(--?[a-z][\w-]*)/.exec(word)?.[1] ?? [])
    .find((option) => !known.has(option));
  return unknown === undefined ? undefined : `"${verb}" has no option ${unknown}`;
}
