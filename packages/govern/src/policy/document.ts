import { actionNames, actions } from './actions.ts';
import type { Mode } from '@plimsoll/core/internal/level';
import { modes, priorities } from '@plimsoll/core/internal/level';
import { amount, count, duration, percent, selector, size, word } from './form/quantity.ts';
import type { Choice, Key, Leaf, ValueOf } from './form/shape.ts';
import { list, named, optional, required, table } from './form/shape.ts';
import { adaptersSection } from './sections/adapters.ts';
import { admissionSection } from './sections/admission.ts';
import { alertsSection, recipientName } from './sections/alerts.ts';
import { approvalsSection } from './sections/approvals.ts';
import { guardsSection } from './sections/guards.ts';
import { rollbackSection } from './sections/rollback.ts';
import { sessionsSection } from './sections/sessions.ts';
import { settleSection } from './sections/settle.ts';

const second = 1000;
const hour = 3_600_000;
const year = 31_536_000_000;

const pathForm = /^[^\0\n\r]{1,1000}$/;
const urlForm = /^postgres(?:ql)?:\/\/[^\s/]+\/[^\s/?]+(?:\?\S*)?$/;
const databaseUrl: Leaf<string> = {
  kind: 'leaf',
  accepted: 'the URL of a PostgreSQL database',
  example: 'postgres://plimsoll@db.internal/plimsoll',
  read: (value) => (typeof value === 'string' && urlForm.test(value) ? value : undefined),
  json: { type: 'string', pattern: urlForm.source },
};
const releaseForm = /^[\w.+:@/-]{1,100}$/;
const releaseName: Leaf<string> = {
  kind: 'leaf',
  accepted: 'the name of a release',
  example: '1.4.2',
  read: (value) => (typeof value === 'string' && releaseForm.test(value) ? value : undefined),
  json: { type: 'string', pattern: releaseForm.source },
};
const filePath: Leaf<string> = {
  kind: 'leaf',
  accepted: 'the path of a file',
  example: '/mnt/audit/anchors.jsonl',
  read: (value) => (typeof value === 'string' && pathForm.test(value) ? value : undefined),
  json: { type: 'string', pattern: pathForm.source },
};

/** One entry of a ladder: the name of an action, or a map from that name to its options. */
export type RungValue =
  | string
  | Readonly<Record<string, (Readonly<Record<string, unknown>> & RungKeys) | undefined>>;

/** The options that every action understands in the same way. */
interface RungKeys {
  readonly mode?: Mode;
  readonly approval?: string;
  readonly cooldown?: number;
  readonly timeout?: number;
}

const rung: Choice<RungValue> = {
  kind: 'choice',
  word: { ...word('a known action', actionNames), actions: true },
  table: {
    ...table(
      'a rung',
      Object.fromEntries(
        Object.entries(actions).map(([name, { about, options }]): [string, Key] => [
          name,
          optional(options, about),
        ]),
      ),
    ),
    single: true,
    actions: true,
  },
};

const level = table('a level', {
  enter: optional(
    percent('60%'),
    'The level begins when used / limit stays at or above this share for the time of "for".',
  ),
  exit: optional(
    percent('55%'),
    'The level ends when used / limit stays below this share for the time of "keep". Below "enter".',
  ),
  for: optional(duration('30s', 0, hour), 'How long "enter" has to hold before the level rises.'),
  keep: optional(duration('60s', 0, hour), 'How long "exit" has to hold before the level falls.'),
});

const levelTable = table('the levels', {
  warning: optional(level, 'Hints and alerts. Default 60% / 55%, for 30s, keep 60s.'),
  critical: optional(level, 'Reclaim. Default 80% / 75%, for 10s, keep 60s.'),
  emergency: optional(level, 'Refuse and stop. Default 95% / 90%, for 2s, keep 60s.'),
});

const presetOrLevels: Choice<'strict' | 'relaxed' | ValueOf<typeof levelTable>> = {
  kind: 'choice',
  word: word('a preset', ['strict', 'relaxed']),
  table: levelTable,
};

const budget = table('a budget', {
  max: optional(amount('64MiB'), 'Most bytes the scope and everything inside it may hold.'),
  priority: optional(
    word('a priority', priorities),
    'Which work is refused first: sheddable before normal before critical.',
  ),
  idle: optional(
    duration('15m', second, 30 * 24 * hour),
    'After this time without use the scope counts as idle.',
  ),
});

const budgets = table('the budgets', {
  global: optional(
    table('the global budget', {
      max: optional(amount('100%'), 'Most bytes of the whole process; 100% is the true limit.'),
      reserve: optional(
        size('32MiB'),
        'Bytes reserved for the governor and the management routes; subtracted from "max".',
      ),
    }),
    'The process itself.',
  ),
  services: optional(named('services', budget), 'Scopes of kind "service", by name or glob.'),
  agents: optional(named('agents', budget), 'Scopes of kind "agent", by name or glob.'),
  sessions: optional(named('sessions', budget), 'Scopes of kind "session", by name or glob.'),
  runs: optional(named('runs', budget), 'Scopes of kind "run", by name or glob.'),
  stages: optional(named('stages', budget), 'Scopes of kind "stage", by name or glob.'),
  tools: optional(named('tools', budget), 'Scopes of kind "tool", by name or glob.'),
});

/** The whole policy file. */
export const policyDocument = table('a policy', {
  apiVersion: required(word('the version of this form', ['plimsoll/v1']), 'The version of this form.'),
  revision: optional(
    count('a whole number such as 14', '14'),
    'Your number for this text. The ledger has it with every start, level change, action and reload.',
  ),
  release: optional(
    releaseName,
    'Version of your program, to compare releases over a fleet. Default: PLIMSOLL_RELEASE, service.version of OTEL_RESOURCE_ATTRIBUTES, npm_package_version, or the commit of the checkout.',
  ),
  mode: optional(
    word('a mode', modes),
    'observe: only watch. shadow: also report the actions that would have run. enforce: act. Default observe.',
  ),
  limits: optional(
    table('the limits', {
      heap: optional(
        table('the heap limit', {
          usable: optional(
            percent('80%'),
            'Share of V8 old space that counts as the limit. V8 may abort from 80% on under collector load, and does at 98 to 102%. Default 80%.',
          ),
        }),
        'Live bytes after a major GC against V8 old space.',
      ),
      rss: optional(
        table('the rss limit', {
          max: optional(
            size('2GiB', 1024 ** 2),
            'Most bytes of resident memory, in addition to the limit of the container.',
          ),
        }),
        'Working set of the process.',
      ),
      native: optional(
        table('the native limit', {
          max: optional(
            size('512MiB', 1024 ** 2),
            'Most bytes of external memory and array buffers; without it they are not watched as a limit.',
          ),
        }),
        'External memory and array buffers.',
      ),
    }),
    'Limits of the process. The smallest binds.',
  ),
  levels: optional(
    presetOrLevels,
    'The preset strict (60/80/95 %, the default) or relaxed (80/95/98 %), or the lines of each level. Missing values keep their default.',
  ),
  signal: optional(
    table('the signal', {
      sample: optional(duration('1s', 100, 60 * second), 'Time between readings. Default 1s.'),
      fast: optional(
        duration('250ms', 50, 60 * second),
        'Time between readings from critical on. Not longer than "sample". Default 250ms.',
      ),
      stale: optional(
        duration('15s', second, hour),
        'Without a reading for this long the levels are held and actions stop. At least twice "sample". Default 15s.',
      ),
      grace: optional(
        duration('60s', 0, hour),
        'After start only an emergency may rise for this long. Default 60s.',
      ),
    }),
    'How often memory is read.',
  ),
  budgets: optional(
    budgets,
    'Most bytes per scope. The most specific glob wins. A child never gets more than the scopes around it.',
  ),
  admission: optional(
    admissionSection,
    'Most work that is admitted at any level, also at normal. Further work waits in line or is refused with PLM_ADMIT_FULL.',
  ),
  ladder: optional(
    table('the ladder', {
      warning: optional(list('a list of rungs', rung), 'Run at warning and above.'),
      critical: optional(list('a list of rungs', rung), 'Run at critical and above, after those of warning.'),
      emergency: optional(
        list('a list of rungs', rung),
        'Run at emergency, after those of warning and critical.',
      ),
    }),
    'Actions per level, run from top to bottom, each only when those before it freed too little.',
  ),
  approvals: optional(
    approvalsSection,
    'Who may approve, until when, and the decision without an answer. The built-in entry "operator" stays unless it is replaced.',
  ),
  settle: optional(settleSection, 'When the effect of an action counts as measured, and when it is enough.'),
  guards: optional(guardsSection, 'Limits that prevent harm by the ladder itself.'),
  ledger: optional(
    table('the ledger', {
      samples: optional(
        table('the sample retention', {
          raw: optional(duration('7d', 60 * second, 10 * year), 'Every reading. Default 7d.'),
          '1m': optional(
            duration('90d', 60 * second, 20 * year),
            'One row per minute. Not shorter than "raw". Default 90d.',
          ),
          '1h': optional(
            duration('2y', 60 * second, 50 * year),
            'One row per hour. Not shorter than "1m". Default 2y.',
          ),
        }),
        'How long readings are kept, by resolution.',
      ),
      'max-size': optional(
        size('1GiB', 1024 ** 2),
        'Most bytes of the samples on disk; the oldest go first. Default 1GiB.',
      ),
      url: optional(
        databaseUrl,
        'A PostgreSQL database that the whole fleet writes to; needs the package "pg". PLIMSOLL_LEDGER_URL has the same effect and is the place for a password. Default: none.',
      ),
      spool: optional(
        size('64MiB', 65_536),
        'Most bytes of samples that wait on the local disk while the database is away; the oldest go first and are counted. Default 64MiB.',
      ),
      'anchor-file': optional(
        filePath,
        'A file, best on another disk, that gets the head of the audit chain every 10 minutes. "plimsoll ledger verify --anchors FILE" compares it. Default: none.',
      ),
      'anchor-to': optional(
        recipientName,
        'A recipient of kind webhook under "alerts.recipients" that gets the same heads, signed. Default: none.',
      ),
    }),
    'History on disk.',
  ),
  sessions: optional(sessionsSection, 'How HTTP requests are put into sessions, and when a session ends.'),
  adapters: optional(
    adaptersSection,
    'Which adapters of frameworks are installed. All of them are on unless PLIMSOLL_ADAPTERS=off.',
  ),
  alerts: optional(alertsSection, 'Recipients of alerts, and how often they get them.'),
  rollback: optional(
    rollbackSection,
    'When the governor gives this policy up by itself, and what replaces it.',
  ),
  exempt: optional(
    table('the exemptions', {
      scopes: optional(
        list('a list of scopes', selector('service:billing')),
        'Scopes, with everything inside them, that get no level and no action.',
      ),
    }),
    'What is left alone.',
  ),
});

export type PolicyDocument = ValueOf<typeof policyDocument>;
