import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const here = import.meta.dirname;
const example = resolve(root, 'examples/agent-server/src/main.ts');
const preload = resolve(root, 'packages/host/src/register.ts');

/** One way to run the same server. */
export interface Variant {
  readonly name: string;
  /** The variant it is compared with: the same server without the thing that is measured. */
  readonly against: string | null;
  /** Loaded in every round, or only in every so many: what has no goal needs fewer samples. */
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
}

const flatOut: Pace = { flags: ['--token-ms', '0', '--tool-ms', '0'], users: 16 };
/** About half a core; slower still, and the longest session would decide how long a block takes. */
const paced: Pace = { flags: ['--token-ms', '1', '--tool-ms', '2'], users: 12 };

const plain = ['--conditions=plimsoll-source', '--import', resolve(here, 'probe.ts')];
const governed = [...plain, '--import', preload];
const metrics = [...plain, '--import', resolve(here, 'prom-client.ts')];
const bare = [example, '--ungoverned'];
const fastify = resolve(here, 'fastify-server.ts');
const pressed = [fastify, '--under-pressure'];

/**
 * Every variant runs the same sessions, runs and tools. `null` is `ungoverned` once more: what it shows is noise.
 * Under-pressure needs Fastify, so it is compared with the same Fastify server without it.
 */
export const variants: readonly Variant[] = [
  { name: 'ungoverned', against: null, every: 1, node: plain, entry: bare, pace: flatOut },
  { name: 'null', against: 'ungoverned', every: 1, node: plain, entry: bare, pace: flatOut },
  { name: 'scopes only', against: 'ungoverned', every: 2, node: plain, entry: [example], pace: flatOut },
  { name: 'governed', against: 'ungoverned', every: 1, node: governed, entry: [example], pace: flatOut },
  { name: 'prom-client', against: 'ungoverned', every: 2, node: metrics, entry: bare, pace: flatOut },
  { name: 'fastify', against: null, every: 2, node: plain, entry: [fastify], pace: flatOut },
  { name: 'under-pressure', against: 'fastify', every: 2, node: plain, entry: pressed, pace: flatOut },
  { name: 'paced ungoverned', against: null, every: 1, node: plain, entry: bare, pace: paced },
  { name: 'paced null', against: 'paced ungoverned', every: 1, node: plain, entry: bare, pace: paced },
  {
    name: 'paced governed',
    against: 'paced ungoverned',
    every: 1,
    node: governed,
    entry: [example],
    pace: paced,
  },
];
