import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { actions } from '../../packages/govern/src/policy/actions.ts';
import { instruments, prometheusName } from '../../packages/plimsoll/src/server/metrics/instruments.ts';
import { allCommands, commandIndex, commandText } from './command-table.ts';
import type { Section } from './section.ts';

const root = resolve(import.meta.dirname, '../..');

/** Every generated part of a page. A new command gets its part automatically. */
export function sections(): readonly Section[] {
  return [
    ...allCommands().map((command) => ({
      page: `reference/commands/${command.name()}.md`,
      name: 'options',
      text: commandText(command),
    })),
    { page: 'README.md', name: 'commands', text: commandIndex() },
    { page: 'guides/governing.md', name: 'actions', text: actionTable() },
    { page: 'reference/metrics.md', name: 'metrics', text: metricTable() },
    {
      page: 'reference/report.md',
      name: 'report',
      text: typeText('packages/plimsoll/src/run/report.ts', 'Report', 'ExitFact'),
    },
    {
      page: 'reference/report.md',
      name: 'finding',
      text: typeText('packages/leak/src/findings/finding.ts', 'Finding'),
    },
  ];
}

function actionTable(): string {
  const rows = Object.entries(actions).map(
    ([name, { about, cost, nature, reach }]) => `| \`${name}\` | ${nature}, ${reach} | ${about} | ${cost} |`,
  );
  return [
    '| action | nature, reach | what it does | what it costs and cannot do |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Every metric by both of its names, with its labels. */
function metricTable(): string {
  const rows = instruments.map((instrument) => {
    const { name, kind, help, labels } = instrument;
    const shown = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${prometheusName(instrument)}\` | \`${name}\` | ${kind} | ${shown} | ${help}. |`;
  });
  return ['| Prometheus | OpenTelemetry | kind | labels | meaning |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

/** The declaration of an exported interface or union with its comments, in a block of TypeScript. */
function typeText(file: string, ...names: readonly string[]): string {
  const source = readFileSync(resolve(root, file), 'utf8');
  const found = names.map((name) => {
    const text = new RegExp(`^export (?:interface ${name}\\b[^]*?^\\}|type ${name} =[^]*?;)$`, 'm').exec(
      source,
    )?.[0];
    if (text === undefined) throw new Error(`${file} declares no type ${name}`);
    return text.replace(/^export /, '');
  });
  return `\`\`\`typescript\n${found.join('\n\n')}\n\`\`\``;
}
