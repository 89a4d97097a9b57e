import { modes, priorities } from '@plimsoll/core/internal/level';
import { duration, percent, sizeOr, word } from './form/quantity.ts';
import type { Table, ValueOf } from './form/shape.ts';
import { list, optional, table } from './form/shape.ts';
import { countUpTo, durationSpan, name, percentSpan, rate } from './form/span.ts';

/**
 * How the ladder treats an action.
 * - `tells`: it changes nothing.
 * - `frees`: the next rung waits for its effect.
 * - `holds`: it stays in force until the level falls.
 * - `stops`: it ends work, so it has guards and comes after an action that frees memory.
 */
export type ActionNature = 'tells' | 'frees' | 'holds' | 'stops';

/** The declaration of one action: its sentence in the docs and its options. */
interface ActionDeclaration {
  readonly about: string;
  /** Its cost and its limits, for the table of the guide. */
  readonly cost: string;
  readonly nature: ActionNature;
  /** `process`: it runs only for the process. `any`: it also runs for a scope over its budget. */
  readonly reach: 'process' | 'any';
  readonly options: Table<unknown>;
}

const second = 1000;
const minute = 60_000;
const hour = 3_600_000;

const mode = optional(word('a mode', modes), 'Mode of this rung alone, instead of the mode of the policy.');
const cooldown = optional(
  duration('1m', 0, 24 * hour),
  'Least time between two runs of this rung while the level stands.',
);
const approval = optional(
  name('an entry of "approvals"', 'ops'),
  'Files a ticket there and goes on; the rung runs when it is approved.',
);
const timeout = optional(
  duration('10s', 100, 10 * minute),
  'An action that takes longer counts as failed and the ladder goes on. Default 10s.',
);
const acting = { mode, cooldown, approval, timeout };
const only = (byDefault: 'all' | 'normal') =>
  optional(
    word('a priority', priorities),
    `Work up to this priority: sheddable alone, normal and sheddable, or all. Default ${byDefault}.`,
  );
const to = (share: string, about: string) => optional(percent(share), `${about} Default ${share}.`);
const kinds = (example: string, about: string) =>
  optional(list('a list of kinds', name('a kind', example)), about);
/** How an action that stops work chooses its scopes. */
const choosing = {
  ...acting,
  pick: optional(
    word('a choice', ['least-waste', 'largest'] as const),
    'least-waste: bytes and excess over work lost. largest: bytes. Default least-waste.',
  ),
  max: optional(countUpTo('scopes', '1', 100), 'Most scopes in one run. Default 1.'),
  'at-least': to('2%', 'Share of the bytes in use that a scope has to hold to be worth it.'),
};
const retryAfter = optional(
  durationSpan('5s..20s', hour),
  'When the refused may come back, spread over this span. Default 5s..20s.',
);

/**
 * Every action a ladder may name. An entry here makes the loader, the JSON Schema and the docs know it; the compiler then
 * asks for its runner in `actions/action-runners.ts`, so that no action can be accepted and not act.
 */
export const actions = {
  'signal.fast': {
    about: 'Takes readings at the fast interval for a while.',
    cost: 'about 0.1 ms per reading; at critical and above readings are always fast',
    nature: 'tells',
    reach: 'any',
    options: table('the options of signal.fast', {
      mode,
      cooldown,
      for: optional(duration('60s', second, hour), 'For how long. Default 60s.'),
    }),
  },
  notify: {
    about:
      'Publishes an alert with the numbers on the channel plimsoll:action, from where the ledger takes it.',
    cost: 'runs once per rise; [alerts](alerts.md) repeat it',
    nature: 'tells',
    reach: 'any',
    options: table('the options of notify', { mode, cooldown }),
  },
  hint: {
    about:
      'Publishes plimsoll:hint with the pressure, 0 to 1, for parts of the program that can reduce their own memory.',
    cost: 'skipped when nothing subscribes; the next reading shows whether subscribers freed memory',
    nature: 'tells',
    reach: 'any',
    options: table('the options of hint', { mode, cooldown }),
  },
  'timeouts.scale': {
    about: 'Shortens the idle timeouts of keepers in proportion to the pressure, until the level falls.',
    cost: 'only session caches so far; sessions leave earlier than configured',
    nature: 'holds',
    reach: 'process',
    options: table('the options of timeouts.scale', {
      ...acting,
      floor: to('10%', 'Shortest share of the configured timeout.'),
    }),
  },
  'keepers.shrink': {
    about: 'Makes keepers free a share of their content if it can be rebuilt or spilled.',
    cost: 'by default only content that can be rebuilt or spilled: pool, weak-registry, output-bag, replay-buffer, and keepers you register as `cache`',
    nature: 'frees',
    reach: 'any',
    options: table('the options of keepers.shrink', {
      ...acting,
      to: to('70%', 'Share that each keeper keeps.'),
      kinds: kinds(
        'pool',
        'Kinds of keepers. Default pool, weak-registry, output-bag, replay-buffer, cache.',
      ),
    }),
  },
  'cache.drop': {
    about:
      'Empties keepers that can be rebuilt: pools, weak registries and caches that the program registered.',
    cost: 'dropped content has to be made again',
    nature: 'frees',
    reach: 'any',
    options: table('the options of cache.drop', {
      ...acting,
      kinds: kinds('cache', 'Kinds of keepers. Default pool, weak-registry, cache.'),
    }),
  },
  'replay.trim': {
    about: 'Makes replay buffers spill to their file, or drop entries that every reader has read.',
    cost: 'uses disk; a buffer without a file keeps entries that a slow reader still needs',
    nature: 'frees',
    reach: 'any',
    options: table('the options of replay.trim', {
      ...acting,
      to: to('25%', 'Share that each buffer keeps in memory.'),
    }),
  },
  'conversation.compact': {
    about: 'Drops the oldest turns of conversations. The program may summarise them, which can cost tokens.',
    cost: 'the model forgets the turns; your summary may cost tokens; at most once in five minutes',
    nature: 'frees',
    reach: 'any',
    options: table('the options of conversation.compact', {
      ...acting,
      'keep-last': optional(
        countUpTo('turns to keep', '40', 100_000),
        'Turns of each conversation that stay. Default: down to the low water of each window.',
      ),
    }),
  },
  'gc.request': {
    about: 'Asks V8 for one full collection, which stops the process for about 1 ms per MiB that is alive.',
    cost: 'stops the process, measured 50 to 850 ms at 150 MiB live on a busy machine; frees garbage only',
    nature: 'frees',
    reach: 'process',
    options: table('the options of gc.request', {
      mode,
      every: optional(duration('30s', second, hour), 'Least time between two of them. Default 30s.'),
    }),
  },
  'session.park': {
    about: 'Parks idle sessions that nobody leases, coldest first, down to a target.',
    cost: 'a cache without a parking lot evicts instead; a cache without sizes parks one batch; restoring costs a read',
    nature: 'frees',
    reach: 'any',
    options: table('the options of session.park', {
      ...acting,
      order: optional(
        word('an order', ['idle', 'idle-x-size'] as const),
        'idle: the coldest first. idle-x-size: the largest of the coldest first. Default idle-x-size.',
      ),
      until: to('70%', 'Used / limit to reach.'),
      batch: optional(
        countUpTo('sessions', '50', 100_000),
        'Most sessions of each cache in one run. Default 50.',
      ),
    }),
  },
  'delegation.clamp': {
    about: 'Lowers how deep, how wide and how parallel agents may delegate, until the level falls.',
    cost: 'running delegations finish',
    nature: 'holds',
    reach: 'process',
    options: table('the options of delegation.clamp', {
      ...acting,
      depth: optional(countUpTo('levels', '2', 1000), 'Deepest delegation.'),
      'fan-out': optional(countUpTo('delegations', '3', 100_000), 'Most that one delegator has running.'),
      concurrency: optional(countUpTo('runs', '8', 100_000), 'Most runs at once.'),
    }),
  },
  'admit.throttle': {
    about: 'Refuses new work with a probability that rises with the pressure, until the level falls.',
    cost: 'see [admission](admission.md); management and continuing work are never refused',
    nature: 'holds',
    reach: 'process',
    options: table('the options of admit.throttle', {
      ...acting,
      scaled: optional(
        percentSpan('80%..95%'),
        'Used / limit at which nothing is refused, and at which everything is. Default 80%..95%.',
      ),
      only: only('normal'),
      'retry-after': retryAfter,
    }),
  },
  'admit.refuse': {
    about:
      'Refuses new work until the level falls. The management lane and steps of work already let in go on.',
    cost: 'frees nothing itself, so rungs that free memory run with it',
    nature: 'holds',
    reach: 'process',
    options: table('the options of admit.refuse', {
      ...acting,
      only: only('all'),
      except: optional(
        list('a list of shed points or lanes', name('a shed point or lane', 'tool')),
        'Shed points (session, run, delegation, tool, buffer) or lanes that go on.',
      ),
      'retry-after': retryAfter,
    }),
  },
  evidence: {
    about:
      'Keeps counters and allocation sites. In a run with --report or --proof it also keeps a heap snapshot, if the capture guard allows it.',
    cost: '5 s for all of it; reading sites forces a collection below Node 26; a snapshot stops the process and may hold secrets (0600); `plimsoll run` deletes it at the end unless `--keep-snapshots`',
    nature: 'tells',
    reach: 'process',
    options: table('the options of evidence', {
      ...acting,
      snapshot: optional(
        word('when to take a snapshot', ['if-it-fits', 'never'] as const),
        'A snapshot stops the process; it is never taken when it does not fit. Default if-it-fits.',
      ),
    }),
  },
  'scope.quarantine': {
    about:
      'Refuses new turns for the scope that holds the most for the least work. Its state and evidence are kept until a person ends the quarantine.',
    cost: 'frees nothing by itself; its work is refused until `plimsoll act quarantine SCOPE --off` or a restart',
    nature: 'stops',
    reach: 'any',
    options: table('the options of scope.quarantine', {
      ...choosing,
      kinds: kinds('session', 'Kinds of scopes that may be quarantined. Default all but service.'),
    }),
  },
  'scope.stop': {
    about: 'Closes the scope that frees the most for the least work lost, which aborts its signal.',
    cost: 'never one that is leased, exempt or a service; bounded by the guards',
    nature: 'stops',
    reach: 'any',
    options: table('the options of scope.stop', {
      ...choosing,
      kinds: kinds('session', 'Kinds of scopes that may be stopped. Default all but service.'),
    }),
  },
  'process.restart': {
    about:
      'Drains and ends the process with exit code 75, so that it is started again. It is the last action when nothing else helps.',
    cost: 'see [restart](restart.md); a supervisor has to start it again',
    nature: 'stops',
    reach: 'process',
    options: table('the options of process.restart', {
      mode,
      approval,
      after: optional(
        duration('120s', second, 24 * hour),
        'How long the level has to last after all earlier rungs were tried. Default 120s.',
      ),
      'handover-after': optional(
        duration('2s', 0, 24 * hour),
        'The same time when the next life can take over first, without an interruption, and most of the memory is in no open scope. Until then no work is refused. Default 2s.',
      ),
      handovers: optional(
        rate('60/h'),
        'Most restarts in which the next life takes over first; `at-most`, `min-uptime` and `jitter` apply to the others. Default 60/h.',
      ),
      drain: optional(duration('30s', 0, hour), 'Longest time for running work. Default 30s.'),
      jitter: optional(
        duration('60s', 0, hour),
        'Waits up to this long first, so that a fleet does not restart at once. Default 60s.',
      ),
      'at-most': optional(
        rate('3/h'),
        'More restarts than this are refused, and an alert is sent instead. Default 3/h.',
      ),
      'min-uptime': optional(
        duration('60s', 0, 24 * hour),
        'A younger process is not restarted, because it would soon be full again. Default 60s.',
      ),
      overlap: optional(
        sizeOr(['auto', 'off'] as const, '512MiB'),
        'Most bytes for the next life, which plimsoll run starts before this one ends. auto: 1.5 times the memory of a life in its first 30 s, if that is free. off: the next life starts when this one has ended. Default auto.',
      ),
    }),
  },
} as const satisfies Readonly<Record<string, ActionDeclaration>>;

export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as readonly ActionName[];

/** The options of one action, as its runner reads them. */
export type OptionsOf<Name extends ActionName> = ValueOf<(typeof actions)[Name]['options']>;

/** True for actions that free memory or end work. Notices and orders to admission are not cleanups. */
export function isCleanup(action: string): boolean {
  const nature = natureOf(action);
  return nature === 'frees' || nature === 'stops';
}

/** The nature of an action by its name; undefined for the ladder's own steps. */
export function natureOf(action: string): ActionNature | undefined {
  return Object.entries(actions).find(([name]) => name === action)?.[1].nature;
}
