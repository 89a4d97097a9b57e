import { basename, join, relative, resolve } from 'node:path';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { programOf } from './program.ts';

/** The settings of a governed process, from its environment. */
export interface HostSettings {
  /** Folder of the run: descriptor, socket, ledger. */
  readonly dir: string;
  readonly ledgerDir: string;
  readonly policyFile: string | undefined;
  /** The program in words, without its arguments, which may hold secrets. */
  readonly target: string;
  /** Longest stop for a snapshot while the program serves; undefined when growth is not proved. */
  readonly maxPauseMs: number | undefined;
  /** True under `plimsoll run`, which reads the record and the snapshots when the process has ended. */
  readonly isSupervised: boolean;
  /** Process id of that `plimsoll run`; absent when it is not visible, as from another container. */
  readonly supervisor?: number;
  /** True when the supervisor may start the next life beside this one. The next life then takes over the port. */
  readonly mayOverlap?: boolean;
  /** Process id of the previous life when this one takes over from it. */
  readonly takesOver?: number;
  /** Follow every listener, timer and handle to the place that made it. */
  readonly isAudited?: boolean;
  /** Database URL of the fleet. */
  readonly ledgerUrl?: string;
  /** Name and version of the program, from its environment. */
  readonly service?: string;
  readonly release?: string;
  /** Address of the live view of this process for operators elsewhere, such as `http://10.0.0.7:4180/`. */
  readonly liveUrl?: string;
  /** True when V8 may write a heap snapshot just before it runs out of memory. */
  readonly isSnapshotWanted?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A `plimsoll` command in an image whose NODE_OPTIONS has the preload. It looks at the program and is not the program. */
const ownCommand =
  /[\\/](?:\.bin[\\/]plimsoll|plimsoll[\\/](?:bin[\\/]plimsoll\.js|dist[\\/]cli\.js|src[\\/]cli\.ts))$/;
/** Package managers start the program and are not the program. */
const launchers = /[\\/](?:npm|npx|yarn|yarnpkg|pnpm|pnpx|corepack)(?:-cli)?(?:\.[cm]?js)?$/;

/** The settings of this process, or undefined when it is not to be governed. */
export function settingsOf(
  env: Environment,
  argv: readonly string[],
  cwd: string,
  pid: number,
): HostSettings | undefined {
  if (/^(?:off|0|false|no)$/i.test(env['PLIMSOLL'] ?? '')) return undefined;
  const script = argv[1];
  if (script !== undefined && (launchers.test(script) || ownCommand.test(script))) return undefined;
  const dir = resolve(cwd, env['PLIMSOLL_DIR'] ?? '.plimsoll');
  // A process that a governed one forks inherits its environment. Two writers in one ledger would wait for each other.
  const owner = env['PLIMSOLL_HOST'];
  const isFirst = owner === undefined || owner === String(pid);
  const ledger = isFirst ? 'ledger' : `ledger-${pid}`;
  const policy = env['PLIMSOLL_POLICY'];
  return {
    dir,
    ledgerDir: join(dir, ledger),
    maxPauseMs: pauseOf(env['PLIMSOLL_MAX_PAUSE_MS']),
    ...supervisorOf(env['PLIMSOLL_SUPERVISED']),
    ...(env['PLIMSOLL_AUDIT'] === '1' && { isAudited: true }),
    ...(env['PLIMSOLL_LEDGER_URL'] && { ledgerUrl: env['PLIMSOLL_LEDGER_URL'] }),
    ...liveOf(env['PLIMSOLL_LIVE_URL']),
    ...programOf(env, cwd),
    ...(env['PLIMSOLL_ON_DEATH'] === 'snapshot' && { isSnapshotWanted: true }),
    ...(isFirst && overlapOf(env)),
    policyFile: policy === undefined || policy === '' ? undefined : resolve(cwd, policy),
    target: [basename(argv[0] ?? 'node'), ...(script === undefined ? [] : [relative(cwd, script)])].join(' '),
  };
}

/** Only the program itself overlaps, because the processes that it forks end with it. */
function overlapOf(env: Environment): Pick<HostSettings, 'mayOverlap' | 'takesOver'> {
  if (env['PLIMSOLL_OVERLAP'] !== '1') return {};
  const before = env['PLIMSOLL_TAKES_OVER'] ?? '';
  return { mayOverlap: true, ...(/^[1-9]\d{0,9}$/.test(before) && { takesOver: Number(before) }) };
}

/** Accepts only a web address without a name and password, because every viewer of the fleet sees it. */
function liveOf(text: string | undefined): Pick<HostSettings, 'liveUrl'> {
  if (text === undefined || text.length > 300 || !URL.canParse(text)) return {};
  const { protocol, username, password } = new URL(text);
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === '';
  return isPlain ? { liveUrl: text } : {};
}

function supervisorOf(text: string | undefined): Pick<HostSettings, 'isSupervised' | 'supervisor'> {
  if (text === undefined || !/^[1-9]\d{0,9}$/.test(text)) return { isSupervised: false };
  const supervisor = Number(text);
  return { isSupervised: true, ...(isAlive(supervisor) && { supervisor }) };
}

/** The longest stop in ms. Text that is not a number allows no stop. */
function pauseOf(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
