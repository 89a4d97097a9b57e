/**
 * Prints the graph of folders that import each other: `npm run folders`. It fails on a cycle, on an import that the tables below do not
 * allow, and on an import of the host by the operator's side or the page that is not its published protocol.
 * With `--quiet` it prints the faults only.
 * Type imports count for packages and not for cycles, because they leave nothing behind at run time.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Packages in order, each with those that it may import. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  heap: [],
  core: [],
  leak: ['heap', 'core'],
  govern: ['core', 'leak'],
  keep: ['core'],
  isolate: ['core'],
  ledger: ['core'],
  pipeline: ['core', 'leak', 'keep'],
  testkit: ['heap', 'core', 'leak'],
  adapters: ['core', 'govern'],
  host: ['heap', 'core', 'leak', 'govern', 'ledger', 'adapters'],
  plimsoll: ['heap', 'core', 'leak', 'govern', 'ledger', 'host'],
};

/** Rooms that must not import another room, although their package may. */
const closedTo: readonly (readonly [room: string, other: string])[] = [
  ['core/src/scope', 'core/src/sense'],
  ['core/src/scope', 'core/src/gate'],
  ['core/src/meter', 'core/src/sense'],
  ['core/src/meter', 'core/src/gate'],
  ['core/src/sense', 'core/src/gate'],
  // Alerts neither measure nor decide.
  ['govern/src/alert', 'core/src/sense'],
];

export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly file: string;
  readonly isType: boolean;
  /** The specifier in the file. */
  readonly specifier: string;
}

const importing = /^\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'/gm;

/** Every import of one of our files by another, as an edge between their folders. */
export function edgesOf(files: readonly string[], read: (file: string) => string): readonly Edge[] {
  return files.flatMap((file) =>
    [...read(file).matchAll(importing)].flatMap(([, type, specifier]) => {
      const target = targetOf(file, specifier as string);
      if (target === undefined) return [];
      const from = dirname(file);
      const to = dirname(target);
      return from === to
        ? []
        : [{ from, to, file, isType: type !== undefined, specifier: specifier as string }];
    }),
  );
}

function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(file), specifier);
  const [, name, path] = /^(?:@plimsoll\/([a-z]+)|plimsoll)(?:\/internal\/(.+))?/.exec(specifier) ?? [];
  if (name === undefined && !specifier.startsWith('plimsoll')) return undefined;
  return `packages/${name ?? 'plimsoll'}/src/${path ?? 'index'}.ts`;
}

/** Groups of folders that import each other in a circle. A folder and one inside it count as one room. */
export function cyclesOf(edges: readonly Edge[]): readonly (readonly string[])[] {
  const next = new Map<string, Set<string>>();
  for (const { from, to, isType } of edges) {
    if (isType || from.startsWith(`${to}/`) || to.startsWith(`${from}/`)) continue;
    next.set(from, (next.get(from) ?? new Set()).add(to));
  }
  return components(next).filter((group) => group.length > 1);
}

/** Strongly connected components (Tarjan 1972). */
function components(next: ReadonlyMap<string, ReadonlySet<string>>): readonly string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node) as number);
    stack.push(node);
    for (const to of next.get(node) ?? []) {
      if (!index.has(to)) visit(to);
      if (stack.includes(to)) low.set(node, Math.min(low.get(node) as number, low.get(to) as number));
    }
    if (low.get(node) !== index.get(node)) return;
    found.push(stack.splice(stack.indexOf(node)));
  };
  for (const node of next.keys()) if (!index.has(node)) visit(node);
  return found;
}

/** Imports that the two tables do not allow. */
export function forbiddenOf(edges: readonly Edge[]): readonly Edge[] {
  const packageOf = (folder: string): string => folder.split('/')[1] as string;
  return edges.filter(({ from, to }) => {
    if (!from.startsWith('packages/') || !to.startsWith('packages/')) return false;
    if (closedTo.some(([room, other]) => isIn(from, room) && isIn(to, other))) return true;
    return packageOf(from) !== packageOf(to) && mayImport[packageOf(from)]?.includes(packageOf(to)) !== true;
  });
}

function isIn(folder: string, room: string): boolean {
  return `${folder}/`.startsWith(`packages/${room}/`);
}

/** Imports of the host by the operator's side or the page that go past its published protocol. */
export function pastProtocol(edges: readonly Edge[]): readonly Edge[] {
  return edges.filter(
    ({ from, to, specifier }) =>
      /^(?:packages\/plimsoll|apps\/[^/]+)\//.test(from) &&
      to.startsWith('packages/host/') &&
      !/^@plimsoll\/host\/protocol(?:\/[a-z-]+)?$/.test(specifier),
  );
}

/** Our sources, without tests and fixtures, relative to the root. */
export function sources(root: string): readonly string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'packages/*/src/*', 'apps/*/src/*'],
    { cwd: root, encoding: 'utf8' },
  );
  return listed
    .split('\n')
    .filter(
      (file) =>
        /\.tsx?$/.test(file) &&
        !/\.(?:test|fixture)\./.test(file) &&
        !file.includes('/assembly/') &&
        existsSync(join(root, file)),
    );
}

if (process.argv[1] === import.meta.filename) {
  const root = resolve(import.meta.dirname, '..');
  const edges = edgesOf(sources(root), (file) => readFileSync(join(root, file), 'utf8'));
  const lines = new Set(edges.map(({ from, to }) => `${short(from)} → ${short(to)}`));
  if (!process.argv.includes('--quiet')) process.stdout.write(`${[...lines].sort().join('\n')}\n`);
  for (const cycle of cyclesOf(edges)) process.stdout.write(`cycle: ${cycle.map(short).join(' ↔ ')}\n`);
  for (const { file, to } of forbiddenOf(edges))
    process.stdout.write(`forbidden: ${file} imports ${short(to)}\n`);
  for (const { file, specifier } of pastProtocol(edges))
    process.stdout.write(`past the protocol: ${file} imports ${specifier}, not @plimsoll/host/protocol\n`);
  if (cyclesOf(edges).length + forbiddenOf(edges).length + pastProtocol(edges).length > 0)
    process.exitCode = 1;
}

function short(folder: string): string {
  return relative('packages', folder)
    .replace('/src', '')
    .replace(/^\.\.\//, '');
}
