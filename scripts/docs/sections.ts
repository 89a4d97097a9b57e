import { actions } from '../../packages/govern/src/policy/actions.ts';
import { allCommands, commandIndex, commandText } from './command-table.ts';
import { metricTable } from './metric-table.ts';
import type { Section } from './section.ts';
import { typeText } from './type-text.ts';

/** Every part of a page that is made from code. A new command has a part of its own page here by itself. */
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
