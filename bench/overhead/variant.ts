import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const here = import.meta.dirname;
const example = resolve(root, 'examples/agent-server/src/main.ts');
const preload = resolve(root, 'packages/plimsoll/src/register.ts');

/** One way to run the same server. */
export interface Variant {
  readonly name: string;
  /** The variant it is compared with: the same server without the thing that is measured. */
  readonly against: string | null;
  /** Loaded in every round, or only in every so many: what has no goal needs fewer samples. */
  readonly every: number;
  readonly node: readonly string[];
  readonly entry: readonly string[];
}

const plain = ['--conditions=plimsoll-source', '--import', resolve(here, 'probe.ts')];
const fastify = resolve(here, 'fastify-server.ts');

/**
 * Every variant runs the same sessions, runs and tools. `null` is `ungoverned` once more: what it shows is noise.
 * Under-pressure needs Fastify, so it is compared with the same Fastify server without it.
 */
export const variants: readonly Variant[] = [
  { name: 'ungoverned', against: null, every: 1, node: plain, entry: [example, '--ungoverned'] },
  { name: 'null', against: 'ungoverned', every: 1, node: plain, entry: [example, '--ungoverned'] },
  { name: 'scopes only', against: 'ungoverned', every: 3, node: plain, entry: [example] },
  {
    name: 'governed',
    against: 'ungoverned',
    every: 1,
    node: [...plain, '--import', preload],
    entry: [example],
  },
  {
    name: 'prom-client',
    against: 'ungoverned',
    every: 3,
    node: [...plain, '--import', resolve(here, 'prom-client.ts')],
    entry: [example, '--ungoverned'],
  },
  { name: 'fastify', against: null, every: 3, node: plain, entry: [fastify] },
  { name: 'under-pressure', against: 'fastify', every: 3, node: plain, entry: [fastify, '--under-pressure'] },
];
