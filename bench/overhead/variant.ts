import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const here = import.meta.dirname;
const example = resolve(root, 'examples/agent-server/src/main.ts');
const preload = resolve(root, 'packages/host/src/register.ts');

/** Variants that are compared live at the same time, those of another group do not. */
export const groups = ['flat', 'paced', 'sdk'] as const;

/** One way to run the same server. */
export interface Variant {
  readonly name: string;
  readonly group: (typeof groups)[number];
  /** The variant it is compared with: the same server without the thing that is measured. */
  readonly against: string | null;
  /** Started in every set of processes, or only in every so many: what has no goal needs fewer samples. */
  readonly every: number;
  readonly node: readonly string[];
  readonly entry: readonly string[];
  /** How fast the model and the tools answer. */
  readonly pace: Pace;
}

/** How busy the server is: as fast as one core goes, or with a model and tools that take their time, as they do. */
interface Pace {
  readonly flags: readonly string[];
  readonly users: number;
  /** Sessions in one block. */
  readonly sessions: number;
}

const flatOut: Pace = { flags: ['--token-ms', '0', '--tool-ms', '0'], users: 16, sessions: 75 };
/** About half a core; slower still, and the longest session would decide how long a block takes. */
const paced: Pace = { flags: ['--token-ms', '1', '--tool-ms', '2'], users: 12, sessions: 150 };

/** Turns of the AI SDK behind Fastify. A session has one turn. */
const chats: Pace = { flags: [], users: 8, sessions: 150 };

const paces: Readonly<Record<Variant['group'], Pace>> = { flat: flatOut, paced, sdk: chats };

const plain = ['--conditions=plimsoll-source', '--import', resolve(here, 'probe.ts')];
const governed = [...plain, '--import', preload];
const metrics = [...plain, '--import', resolve(here, 'prom-client.ts')];
const fastify = resolve(here, 'fastify-server.ts');

const sdk = resolve(here, 'sdk-server.ts');

/**
 * Every variant of a group runs the same sessions, runs and tools. `null` is the first one once more: what it shows is noise.
 * Under-pressure needs Fastify, so it is compared with the same Fastify server without it.
 */
export const variants: readonly Variant[] = [
  variant('flat', 'ungoverned', null, plain, [example, '--ungoverned']),
  variant('flat', 'null', 'ungoverned', plain, [example, '--ungoverned']),
  variant('flat', 'scopes only', 'ungoverned', plain, [example]),
  variant('flat', 'governed', 'ungoverned', governed, [example]),
  { ...variant('flat', 'prom-client', 'ungoverned', metrics, [example, '--ungoverned']), every: 2 },
  { ...variant('flat', 'fastify', null, plain, [fastify]), every: 2 },
  { ...variant('flat', 'under-pressure', 'fastify', plain, [fastify, '--under-pressure']), every: 2 },
  variant('paced', 'paced', null, plain, [example, '--ungoverned']),
  variant('paced', 'paced null', 'paced', plain, [example, '--ungoverned']),
  variant('paced', 'paced governed', 'paced', governed, [example]),
  variant('sdk', 'sdk', null, plain, [sdk]),
  variant('sdk', 'sdk null', 'sdk', plain, [sdk]),
  variant('sdk', 'sdk governed', 'sdk', governed, [sdk]),
];

function variant(
  group: Variant['group'],
  name: string,
  against: string | null,
  node: readonly string[],
  entry: readonly string[],
): Variant {
  return { name, group, against, every: 1, node, entry, pace: paces[group] };
}
