import { commands } from '../../packages/plimsoll/src/commands/all-commands.ts';
import { processIo } from '../../packages/plimsoll/src/io.ts';
import { commandTree } from '../../packages/plimsoll/src/program.ts';

type Command = ReturnType<typeof commandTree>;
type Argument = Command['registeredArguments'][number];
type Option = Command['options'][number];

/** Every command, in the order of the help page. */
export function allCommands(): readonly Command[] {
  return commandTree(processIo(), commands, () => undefined).commands;
}

/** Usage, arguments and options of a command and of its verbs, as its definition has them. */
export function commandText(command: Command): string {
  if (command.commands.length === 0) return oneCommand(command);
  return command.commands
    .map(
      (verb) =>
        `**\`plimsoll ${command.name()} ${verb.name()}\`**: ${verb.description()}.\n\n${oneCommand(verb)}`,
    )
    .join('\n\n');
}

/** The page of a command that has none yet, from its definition. Its author adds an example and its limits. */
export function firstPage(command: Command): string {
  const about = command.description();
  return `# plimsoll ${command.name()}

${about.charAt(0).toUpperCase()}${about.slice(1)}.

\`\`\`
plimsoll ${command.name()} ${command.usage()}
\`\`\`

## Options
<!-- made by npm run docs: options -->
<!-- end -->
`;
}

/** One line per command for the index. */
export function commandIndex(): string {
  const rows = allCommands().map(
    (command) =>
      `| [${command.name()}](reference/commands/${command.name()}.md) | ${escaped(command.description())} |`,
  );
  return ['| command | what it does |', '|---|---|', ...rows].join('\n');
}

function oneCommand(command: Command): string {
  const rows = [
    ...command.registeredArguments.map(argumentRow),
    ...command.options.filter(({ hidden }) => !hidden).map(optionRow),
  ];
  if (rows.length === 0) return 'It takes no options.';
  return ['| argument or option | meaning | default |', '|---|---|---|', ...rows].join('\n');
}

function argumentRow(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  const shown = argument.required ? `<${name}>` : `[${name}]`;
  return `| \`${shown}\` | ${escaped(argument.description)} | ${defaultOf(argument)} |`;
}

function optionRow(option: Option): string {
  const choices = option.argChoices === undefined ? '' : ` (${option.argChoices.join(', ')})`;
  return `| \`${option.flags}\` | ${escaped(option.description)}${choices} | ${defaultOf(option)} |`;
}

function defaultOf({ defaultValue, defaultValueDescription }: Argument | Option): string {
  if (defaultValueDescription !== undefined) return defaultValueDescription;
  if (defaultValue === undefined || typeof defaultValue === 'boolean') return '';
  const text = Array.isArray(defaultValue) ? defaultValue.join(', ') : String(defaultValue);
  return text === '' ? '' : `\`${text}\``;
}

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
