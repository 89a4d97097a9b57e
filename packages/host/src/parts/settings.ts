import { basename, join, relative, resolve } from 'node:path';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { programOf } from './program.ts';

/** What a governed process is told by its environment. */
export interface HostSettings {
  /** Folder of the run: descriptor, socket, ledger. */
  readonly dir: string;
  readonly ledgerDir: string;
  readonly policyFile: string | undefined;
  /** The program in words, without its arguments, which may hold secrets. */
  readonly target: string;
  /** Longest stop for a snapshot while the program serves; undefined when growth is not to be proved at all. */
  readonly maxPauseMs: number | undefined;
  /** `plimsoll run` waits outside: it reads the record and the snapshots when the process has ended. */
  readonly isSupervised: boolean;
  /** Process id of that `plimsoll run`; absent when it cannot be seen from here, as from another container. */
  readonly supervisor?: number;
  /** The supervisor may start the next life beside this one, which then takes its port over. */
  readonly mayOverlap?: boolean;
  /** Process id of the life that this one takes over from. */
  readonly takesOver?: number;
  /** Follow every listener, timer and handle to the place that made it. */
  readonly isAudited?: boolean;
  /** Database of the fleet, by the environment. */
  readonly ledgerUrl?: string;
  /** What the environment says of the program's name and version. */
  readonly service?: string;
  readonly release?: string;
  /** Address of the live view of this process for operators elsewhere, such as `http://10.0.0.7:4180/`. */
  readonly liveUrl?: string;
  /** V8 may write a heap snapshot when it is about to give up. */
  readonly isSnapshotWanted?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The command of an operator in an image whose NODE_OPTIONS has the preload. It looks at the program; it is not it. */
const ownCommand =
  /[\\/](?:\.bin[\\/]plimsoll|plimsoll[\\/](?:bin[\\/]plimsoll\.js|dist[\\/]cli\.js|src[\\/]cli\.ts))$/;
/** Package managers start the program; they are not it. */
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
  // A process forked by a governed one inherits its environment; two writers in one ledger would wait for each other.
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

/** Only the program itself overlaps: what it forks ends with it. */
function overlapOf(env: Environment): Pick<HostSettings, 'mayOverlap' | 'takesOver'> {
  if (env['PLIMSOLL_OVERLAP'] !== '1') return {};
  const before = env['PLIMSOLL_TAKES_OVER'] ?? '';
  return { mayOverlap: true, ...(/^[1-9]\d{0,9}$/.test(before) && { takesOver: Number(before) }) };
}

/** Only an address of the web without a name and password, because every viewer of the fleet sees it. */
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

/** The longest stop in ms. Anything that is no number means that no stop is allowed. */
function pauseOf(text: string | undefined): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
