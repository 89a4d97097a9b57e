import { resolve } from 'node:path';
import { serverFlags, usableRatio } from './scenario.ts';
import type { BuiltPrograms } from './built-programs.ts';
import type { Scenario } from './scenario.ts';

const root = resolve(import.meta.dirname, '../..');
const fronted = resolve(import.meta.dirname, 'fronted-server.ts');

/** What a variant is started with. */
export interface StartOrder {
  readonly scenario: Scenario;
  readonly programs: BuiltPrograms;
  readonly port: number;
  readonly statusPort: number;
}

/** One way to keep the same server alive. */
export interface Variant {
  readonly name: string;
  readonly about: string;
  /** Started again when it ends. */
  readonly restarts: boolean;
  /** Set when Plimsoll governs it: the policy. */
  readonly policy?: string;
  /** Not bound by the budget: shows what the load asks for. */
  readonly isUnbound?: boolean;
  readonly command: (order: StartOrder) => readonly string[];
}

const bound = ({ heapMiB }: Scenario): string => `--max-old-space-size=${heapMiB}`;
const behind =
  (guard: string): Variant['command'] =>
  ({ scenario, port }) => [
    '--conditions=plimsoll-source',
    bound(scenario),
    fronted,
    guard,
    // The bound a user would give it: where V8 may begin to give up.
    String(Math.floor(usableRatio * scenario.heapMiB * 1024 ** 2)),
    ...serverFlags(scenario, port),
  ];
const ungoverned: Variant['command'] = ({ scenario, programs, port }) => [
  bound(scenario),
  programs.server,
  '--ungoverned',
  ...serverFlags(scenario, port),
];

/** What the load would take if nothing held it back: the proof that it is several times the budget. */
export const unbound: Variant = {
  name: 'unbound',
  about: 'the same server with 4 GiB of old space',
  restarts: false,
  isUnbound: true,
  command: (order) => ungoverned({ ...order, scenario: { ...order.scenario, heapMiB: 4096 } }),
};

const policy = resolve(import.meta.dirname, 'policy.yaml');

const governedBy =
  (file: string, options: readonly string[]): Variant['command'] =>
  ({ scenario, programs, port, statusPort }) => [
    programs.command,
    'run',
    '--policy',
    file,
    '--status',
    String(statusPort),
    '--no-live',
    ...options,
    '--',
    process.execPath,
    bound(scenario),
    programs.server,
    ...serverFlags(scenario, port),
  ];

/** `plimsoll run` governs it and starts it again when it drained to be restarted. The load is fast, so the policy's times are short. */
export const governed: Variant = {
  name: 'governed',
  about: 'Plimsoll in enforce mode, with times that fit the load',
  restarts: true,
  policy,
  command: governedBy(policy, ['--restarts', '1000']),
};

const examplePolicy = resolve(root, 'examples/agent-server/plimsoll.yaml');

/** As the README starts the example: its policy, and every option of `run` by default. What has ended stays ended. */
export const defaults: Variant = {
  name: 'defaults',
  about: 'Plimsoll as the README starts it',
  restarts: false,
  policy: examplePolicy,
  command: governedBy(examplePolicy, []),
};

/** What a user would pick instead. The guards are restarted on death too, as they would be in production. */
export const rivals: readonly Variant[] = [
  {
    name: 'ungoverned',
    about: 'plain --max-old-space-size, dead once dead',
    restarts: false,
    command: ungoverned,
  },
  {
    name: 'restarts',
    about: 'plain --max-old-space-size, restarted at once',
    restarts: true,
    command: ungoverned,
  },
  {
    name: 'under-pressure',
    about: '@fastify/under-pressure in front, restarted on death',
    restarts: true,
    command: behind('under-pressure'),
  },
  {
    name: 'overload-protection',
    about: 'overload-protection in front, restarted on death',
    restarts: true,
    command: behind('overload-protection'),
  },
];
