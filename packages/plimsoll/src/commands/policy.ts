import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import type {
  FleetPolicies,
  PolicyGroup,
  RolloutMode,
  RolloutState,
} from '@plimsoll/ledger/internal/postgres/policies';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import { formatTable } from '../screen/table.ts';
import type { Column } from '../screen/table.ts';

interface PolicyFlags {
  readonly fleet?: string;
  readonly service?: string;
  readonly mode?: string;
  readonly share?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll policy push plimsoll.yaml --service agent-server        stores a version; nothing changes yet
  plimsoll policy rollout 7 --mode shadow --service agent-server   everywhere, without acting
  plimsoll policy rollout 7 --share 10% --service agent-server     enforced at a tenth of the processes
  plimsoll policy rollout 7 --share 100% --service agent-server    enforced everywhere
  plimsoll policy status --service agent-server                    the groups side by side

A process is in a share by its host, so a growing share only adds processes. Processes ask every 30 s; without the database they go on with the
last policy they had, which is on their disk.`;

export const addPolicyCommand: AddCommand = (program, io, done) => {
  program
    .command('policy')
    .description('store and roll out the policy of a fleet, and compare how the groups fare')
    .argument('<action>', 'push, rollout or status')
    .argument('[what]', 'the file to push, or the version to roll out')
    .option('--fleet <url>', 'the database of the fleet; PLIMSOLL_LEDGER_URL by default')
    .option('--service <name>', 'the service that the policy is for')
    .option('--mode <mode>', 'shadow or enforce', 'enforce')
    .option('--share <ratio>', 'the share of processes, such as 10%', '100%')
    .option('--force', 'enforce a version that never ran in shadow')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (action: string, what: string | undefined, flags: PolicyFlags) =>
      done(await policy(action, what, flags, io)),
    );
};

async function policy(action: string, what: string | undefined, flags: PolicyFlags, io: Io): Promise<number> {
  const url = flags.fleet ?? io.env['PLIMSOLL_LEDGER_URL'] ?? '';
  if (url === '') throw badOption('--fleet', '', 'the URL of a PostgreSQL database, or PLIMSOLL_LEDGER_URL');
  const { service } = flags;
  if (service === undefined || service === '') throw badOption('--service', '', 'the name of a service');
  const { connect } = await import('@plimsoll/ledger/internal/postgres/client');
  const { migrate } = await import('@plimsoll/ledger/internal/postgres/migrate');
  const { FleetPolicies: Policies } = await import('@plimsoll/ledger/internal/postgres/policies');
  const client = await connect(url);
  try {
    await migrate(client);
    const policies = new Policies(client);
    const { databaseUser } = await import('@plimsoll/ledger/internal/postgres/approvals');
    const { by, origin } = await databaseUser(client);
    const answer = await run(action, what, flags, { service, by, origin }, policies, io);
    io.stdout.write(flags.json === true ? `${JSON.stringify(answer.value, null, 2)}\n` : `${answer.text}\n`);
    return exitCode.fine;
  } finally {
    await client.close();
  }
}

interface PolicyAnswerText {
  readonly value: unknown;
  readonly text: string;
}

async function run(
  action: string,
  what: string | undefined,
  flags: PolicyFlags,
  { service, by, origin }: { readonly service: string; readonly by: string; readonly origin: string },
  policies: FleetPolicies,
  io: Io,
): Promise<PolicyAnswerText> {
  if (action === 'push') {
    if (what === undefined) throw badOption('file', '', 'the policy file to push');
    const { parsePolicy } = await import('@plimsoll/govern/internal/policy/parse');
    const text = readFileSync(resolve(io.cwd, what), 'utf8');
    // Every process would refuse a policy that is refused here.
    parsePolicy(text, what);
    const { version, sha256 } = await policies.push(service, text, by, origin);
    const value = { service, version, sha256 };
    return {
      value,
      text: `plimsoll: ${what} is version ${version} of ${service}; roll it out with "plimsoll policy rollout ${version} --mode shadow --service ${service}".`,
    };
  }
  if (action === 'rollout') {
    const version = Number(what ?? '');
    if (!Number.isSafeInteger(version) || version < 1)
      throw badOption('version', what ?? '', 'the number of a version');
    const step = await policies.rollout(
      service,
      { version, mode: modeOf(flags.mode), share: shareOf(flags.share), by, origin },
      flags.force === true,
    );
    const share = `${Math.round(step.share * 100)} %`;
    return {
      value: step,
      text: `plimsoll: version ${version} runs in mode ${step.mode} at ${share} of the processes of ${service}, within about 30 s.`,
    };
  }
  if (action === 'status') {
    const state = await policies.state(service);
    return { value: state, text: statusText(state) };
  }
  throw badOption('action', action, 'push, rollout or status');
}

/** The steps of a roll-out and its groups, as a person reads them. */
export function statusText({ service, steps, groups }: RolloutState): string {
  const [newest] = steps;
  const head =
    newest === undefined
      ? `${service}: no policy was rolled out; every process uses its own file.`
      : `${service}: version ${newest.version} in mode ${newest.mode} at ${Math.round(newest.share * 100)} % since ${new Date(newest.at).toISOString()}, by ${newest.by}`;
  const count = (title: string, cell: (group: PolicyGroup) => number): Column<PolicyGroup> => ({
    title,
    cell: (group) => String(cell(group)),
    align: 'right',
  });
  const columns: readonly Column<PolicyGroup>[] = [
    { title: 'policy', cell: ({ version }) => (version === null ? 'own file' : `version ${version}`) },
    { title: 'mode', cell: ({ mode }) => mode ?? '-' },
    count('live', ({ live }) => live),
    count('silent', ({ silent }) => silent),
    count('warning', ({ levels }) => levels.warning),
    count('critical', ({ levels }) => levels.critical),
    count('emergency', ({ levels }) => levels.emergency),
    count('shed', ({ shed }) => shed),
    count('deaths', ({ deaths }) => deaths),
    {
      title: 'pressure',
      cell: ({ pressure }) => (pressure === null ? '-' : `${Math.round(pressure * 100)} %`),
      align: 'right',
    },
  ];
  return groups.length === 0 ? head : [head, ...formatTable(columns, groups)].join('\n');
}

function modeOf(mode = 'enforce'): RolloutMode {
  if (mode === 'shadow' || mode === 'enforce') return mode;
  throw badOption('--mode', mode, 'shadow or enforce');
}

function shareOf(text = '100%'): number {
  const found = /^(\d{1,3}(?:\.\d+)?)\s*%$/.exec(text.trim())?.[1];
  const share = found === undefined ? Number.NaN : Number(found) / 100;
  if (share >= 0 && share <= 1) return share;
  throw badOption('--share', text, 'a share from 0% to 100%');
}

function badOption(option: string, value: string, accepted: string): Error {
  return failure('PLM_CLI_BAD_OPTION', { option, value, accepted });
}
