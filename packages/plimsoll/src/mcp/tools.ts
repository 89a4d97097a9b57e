import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type { Frame } from '@plimsoll/host/protocol/frame';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Descriptor } from '@plimsoll/host/protocol';
import { liveDescriptors } from '@plimsoll/host/protocol';
import { nextFrame } from '../doctor/next-frame.ts';
import { findingLine, findingLines, holderOf, traceDrawer } from '../screen/finding-text.ts';
import { formatTable, printable } from '../screen/table.ts';
import { inside, sourceLines } from './source-lines.ts';
import type { Tool } from './tool.ts';

/** Access to running processes. */
export interface LiveProcesses {
  readonly list: () => readonly Pick<Descriptor, 'pid' | 'target'>[];
  readonly frame: (pid: number) => Promise<Frame | undefined>;
}

export function liveProcesses(dir: string): LiveProcesses {
  return { list: () => liveDescriptors(dir), frame: (pid) => nextFrame(dir, pid) };
}

export interface ToolContext {
  /** Only files inside this folder are read. */
  readonly root: string;
  /** The folder of the runs. */
  readonly dir: string;
  /** The governed processes of that folder, newest first, and their next frames. */
  readonly live: LiveProcesses;
  /** Runs one of our own commands and resolves to its output. */
  readonly command: (...args: readonly string[]) => Promise<string>;
}

const pid = { type: 'number', description: 'process id; the newest governed process without it' } as const;

/** All tools, in the order in which an agent usually needs them. */
export function toolsOf(context: ToolContext): readonly Tool[] {
  return [...liveTools(context), ...fileTools(context), ...runTools(context)];
}

function liveTools(context: ToolContext): readonly Tool[] {
  return [
    {
      name: 'processes',
      description:
        'List the governed Node.js processes of this folder with memory, limit, level and findings.',
      args: {},
      isReadOnly: true,
      run: async () => {
        const all = context.live.list();
        if (all.length === 0)
          return `No governed process runs from ${context.dir}. Start one: plimsoll run -- node server.js. "history" reads what earlier ones left.`;
        const frames = await Promise.all(all.slice(0, 20).map((each) => context.live.frame(each.pid)));
        return all
          .slice(0, 20)
          .map((each, i) => processLine(each.pid, each.target, frames[i]))
          .join('\n');
      },
    },
    {
      name: 'scopes',
      description:
        'The heaviest open scopes (sessions, agents, runs, tools) of a process, and its keepers, with bytes.',
      args: { pid, limit: { type: 'number', description: 'rows, 20 without it' } },
      isReadOnly: true,
      run: async (args) =>
        scopesText(await frameOf(context, args.number('pid')), Math.min(100, args.number('limit') ?? 20)),
    },
    {
      name: 'findings',
      description: 'Findings of a process: severity, bytes, holder, fix. Ask "finding" for the trace of one.',
      args: { pid },
      isReadOnly: true,
      run: async (args) => {
        const { findings } = await frameOf(context, args.number('pid'));
        return findings.length === 0 ? 'No finding so far.' : findings.map(findingSummary).join('\n\n');
      },
    },
    {
      name: 'finding',
      description:
        'One finding with its leak trace from the root to the leaking object, the source lines it names, and the fix.',
      args: { id: { type: 'string', description: 'id such as F-d391b9, or the fingerprint' }, pid },
      required: ['id'],
      isReadOnly: true,
      run: async (args) => {
        const { findings } = await frameOf(context, args.number('pid'));
        const id = args.needed('id');
        const found = findings.find((each) => each.id === id || each.fingerprint === id);
        if (found === undefined)
          throw new Error(
            `there is no finding ${id}; there are ${findings.map((each) => each.id).join(', ') || 'none'}`,
          );
        return findingText(context.root, found);
      },
    },
  ];
}

function fileTools({ root, command, dir }: ToolContext): readonly Tool[] {
  const file = (path: string): string => {
    const found = inside(root, path);
    if (found === undefined)
      throw new Error(`${path} is outside of ${root}; start "plimsoll mcp" with --root to allow it`);
    return found;
  };
  return [
    {
      name: 'analyze_snapshot',
      description:
        'Analyse a .heapsnapshot: suspects with retaining paths, and classes. Or ask about one class, object or scope. String contents are redacted.',
      args: {
        file: { type: 'string', description: 'path of the snapshot' },
        retainers: { type: 'string', description: 'name of a class: say how its instances are held' },
        node: { type: 'string', description: 'id of an object: say what keeps it alive' },
        focus: { type: 'string', description: 'a scope such as session:42: say what it holds' },
      },
      required: ['file'],
      isReadOnly: true,
      run: async (args) => {
        const options = (['retainers', 'node', 'focus'] as const).flatMap((name) => {
          const value = args.text(name);
          return value === undefined ? [] : [`--${name}=${value}`];
        });
        return command('analyze', '--top', '15', ...options, '--', file(args.needed('file')));
      },
    },
    {
      name: 'diff_snapshots',
      description: 'Say what grew between two or three heap snapshots, by the path that holds it.',
      args: { files: { type: 'array', items: { type: 'string' }, description: 'paths, oldest first' } },
      required: ['files'],
      isReadOnly: true,
      run: async (args) => command('diff', '--top', '15', '--', ...args.texts('files').map(file)),
    },
    {
      name: 'history',
      description: 'History from the ledger for a period: growth, findings, actions and next steps.',
      args: { since: { type: 'string', description: 'such as 24h or 7d; 7d without it' } },
      isReadOnly: true,
      run: async (args) => command('report', `--since=${args.text('since') ?? '7d'}`, '--dir', dir),
    },
    {
      name: 'read_report',
      description:
        'Read a JSON report of plimsoll run, stress or attach: verdict, figures, findings, trace, next steps.',
      args: { file: { type: 'string', description: 'path of the report' } },
      required: ['file'],
      isReadOnly: true,
      run: async (args) => command('report', '--', file(args.needed('file'))),
    },
    {
      name: 'docs',
      description:
        'The documentation: a page, the section of an error code such as PLM_BUDGET_EXCEEDED, or where a word is explained.',
      args: { word: { type: 'string', description: 'a word, a page or an error code' } },
      required: ['word'],
      isReadOnly: true,
      run: async (args) => command('docs', '--', args.needed('word')),
    },
  ];
}

function runTools({ command }: ToolContext): readonly Tool[] {
  return [
    {
      name: 'stress',
      description:
        'Start a server under load and with faults. Returns PASS or FAIL, bytes per call and the holder of growth. It takes the given time per plan and some more.',
      args: {
        command: {
          type: 'array',
          items: { type: 'string' },
          description: 'the command, such as ["node", "server.js"]',
        },
        plan: {
          type: 'string',
          description: 'baseline without it',
          enum: ['baseline', 'stress', 'chaos', 'all'],
        },
        seconds: { type: 'number', description: 'time for each plan, 20 without it, at most 300' },
        recipe: {
          type: 'string',
          description: 'a recipe, OpenAPI file or HAR; without it the routes that answer are found',
        },
      },
      required: ['command'],
      isReadOnly: false,
      run: async (args) => {
        const recipe = args.text('recipe');
        const seconds = Math.min(300, Math.max(1, Math.round(args.number('seconds') ?? 20)));
        return command(
          'stress',
          `--plan=${args.text('plan') ?? 'baseline'}`,
          `--for=${seconds}s`,
          ...(recipe === undefined ? [] : [`--recipe=${recipe}`]),
          '--',
          ...args.texts('command'),
        );
      },
    },
  ];
}

async function frameOf({ dir, live }: ToolContext, wanted: number | undefined): Promise<Frame> {
  const all = live.list();
  const found = wanted === undefined ? all[0] : all.find((each) => each.pid === wanted);
  const frame = found === undefined ? undefined : await live.frame(found.pid);
  if (frame !== undefined) return frame;
  throw new Error(
    wanted === undefined
      ? `no governed process runs from ${dir}`
      : `process ${wanted} is not governed from ${dir} or has ended`,
  );
}

function processLine(id: number, target: string, frame: Frame | undefined): string {
  if (frame === undefined) return `pid ${id} ${printable(target)}: it did not answer`;
  const { reading, limits, level, findings, startedAt, at } = frame;
  return `pid ${id} ${printable(target)}: ${formatByteSize(reading.used)} of ${formatByteSize(limits.bytes)} used, rss ${formatByteSize(reading.rss)}, level ${level}, ${findings.length} findings, ${frame.scopeCount} scopes open, up ${formatDuration(at - startedAt)}`;
}

function scopesText(frame: Frame, limit: number): string {
  const scopes = formatTable(
    [
      { title: 'scope', cell: (row) => row.path },
      { title: 'bytes', align: 'right', cell: (row) => formatByteSize(row.bytes) },
      { title: 'peak', align: 'right', cell: (row) => formatByteSize(row.peakBytes) },
      { title: 'age', align: 'right', cell: (row) => formatDuration(row.ageMs) },
    ],
    frame.scopes.slice(0, limit),
  );
  const keepers = frame.keepers
    .slice(0, limit)
    .map(
      (row) =>
        `keeper ${printable(row.name)} (${row.kind}): ${formatByteSize(row.bytes)}, ${row.entries ?? '?'} entries`,
    );
  const kinds = frame.kinds.map(
    ({ kind, open, opened, bytes }) => `${kind}: ${open} open of ${opened} opened, ${formatByteSize(bytes)}`,
  );
  return [
    frame.scopes.length === 0 ? 'No scope is open.' : scopes.join('\n'),
    `${frame.scopeCount} scopes are open in all. ${kinds.join('; ')}`,
    ...keepers,
    frame.unattributedBytes === null
      ? ''
      : `held by neither scopes nor keepers: ${formatByteSize(frame.unattributedBytes)}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function findingSummary(finding: Finding): string {
  const holder = holderOf(finding);
  return [
    `${finding.id} ${findingLine(finding)}`,
    ...(holder === undefined ? [] : [`held by ${holder}`]),
    `fix: ${printable(finding.fix)}`,
  ].join('\n');
}

async function findingText(root: string, finding: Finding): Promise<string> {
  const lines = findingLines(finding, await traceDrawer([finding]));
  const source = sourceLines(root, finding);
  return [`${finding.id} ${lines.join('\n')}`, ...(source === '' ? [] : [`source lines:\n${source}`])].join(
    '\n\n',
  );
}
