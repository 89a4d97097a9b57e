import { resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { formatDuration, parseDuration } from '@plimsoll/core/units';
import type { Alert } from '@plimsoll/govern/internal/alert/alert';
import type { Silence } from '@plimsoll/govern/internal/alert/silence';
import { exitCode } from '../exit-code.ts';
import type { Descriptor } from '@plimsoll/host/protocol';
import { liveDescriptors } from '@plimsoll/host/protocol';
import type { SilencesAnswer } from '@plimsoll/host/protocol/answers';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';

interface SilenceFlags {
  readonly dir: string;
  readonly pid?: string;
  readonly for?: string;
  readonly comment?: string;
  readonly json?: boolean;
}

const help = `
Example:
  plimsoll silence list                                       what fires, and what is silenced
  plimsoll silence add kind=session level=warning --for 2h    alerts that match all of them are not told
  plimsoll silence add alertname=memory.finding --for 1d --comment "known, mended in 2.4"
  plimsoll silence remove 7f3a12c0                            ends it before its time

Labels: alertname, level, service, pod, kind, subject. label=value, label!=value; * stands for any text.
Silences last over restarts of the program in the same folder.`;

export const addSilenceCommand: AddCommand = (program, io, done) => {
  program
    .command('silence')
    .description('mute alerts of a governed process for a time, and see which fire')
    .argument('[verb]', 'list, add or remove', 'list')
    .argument('[words...]', 'matchers for add, an id for remove')
    .option('--for <time>', 'how long, up to 30d', '1h')
    .option('--comment <text>', 'why; it goes into the ledger')
    .option('--pid <pid>', 'the process; the newest governed one by default')
    .option('--dir <folder>', 'the folder of the run', '.plimsoll')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(async (verb: string, words: string[], flags: SilenceFlags) =>
      done(await silence(verb, words, flags, io)),
    );
};

async function silence(verb: string, words: readonly string[], flags: SilenceFlags, io: Io): Promise<number> {
  const args = argsOf(verb, words, flags);
  const { ask } = await import('@plimsoll/host/protocol');
  const { socket } = choose(resolve(io.cwd, flags.dir), flags.pid);
  const answer = await ask<SilencesAnswer>(socket, 'silences', args);
  const text = flags.json === true ? JSON.stringify(answer, null, 2) : await textOf(verb, answer);
  io.stdout.write(`${text}\n`);
  return exitCode.fine;
}

function argsOf(verb: string, words: readonly string[], flags: SilenceFlags): Record<string, unknown> {
  if (verb === 'list') return {};
  if (verb === 'remove') {
    if (words.length === 1) return { remove: words[0] };
    throw failure('PLM_ALERT_BAD_SILENCE', {
      message: 'there is no id to remove',
      fix: 'see the list: plimsoll silence list',
    });
  }
  if (verb !== 'add')
    throw failure('PLM_CLI_BAD_OPTION', { option: 'verb', value: verb, accepted: 'list, add or remove' });
  const forMs = parseDuration(flags.for ?? '1h');
  if (forMs === undefined)
    throw failure('PLM_CLI_BAD_OPTION', {
      option: '--for',
      value: flags.for ?? '',
      accepted: 'a time with a unit such as 2h',
    });
  return { add: { matchers: words, forMs, comment: flags.comment ?? '' } };
}

function choose(dir: string, pid: string | undefined): Descriptor {
  const wanted = pid === undefined ? null : Number(pid);
  const found = liveDescriptors(dir).find((each) => wanted === null || each.pid === wanted);
  if (found === undefined) throw failure('PLM_CLI_NO_PROCESS', { dir, pid: wanted });
  return found;
}

async function textOf(verb: string, answer: SilencesAnswer): Promise<string> {
  const { formatMatcher } = await import('@plimsoll/govern/internal/alert/silence');
  const line = ({ id, matchers, author, comment, endsAt }: Silence): string => {
    const why = comment === '' ? '' : `, "${comment}"`;
    const left = formatDuration(Math.max(0, endsAt - Date.now()));
    return `${id}  ${matchers.map(formatMatcher).join(' ')}  ${left} left, by ${author}${why}`;
  };
  const { silences, alerts, id } = answer;
  if (verb === 'remove') return `silence ${id} has ended`;
  const added = silences.find((each) => each.id === id);
  if (added !== undefined) return `silenced ${line(added)}`;
  return [
    ...(alerts.length === 0 ? ['nothing fires'] : alerts.map(alertLine)),
    ...(silences.length === 0
      ? ['no silences']
      : ['silences:', ...silences.map((each) => `  ${line(each)}`)]),
  ].join('\n');
}

function alertLine({ labels, summary }: Alert): string {
  const { level, alertname, kind, subject } = labels;
  return `${level} ${alertname} (${kind}${subject === '' ? '' : `, ${subject}`}): ${summary}`;
}
