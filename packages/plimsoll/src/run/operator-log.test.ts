import { expect, test } from 'vitest';
import { frameOf, incidentOf } from '../../../host/src/protocol/frame.fixture.ts';
import { growthRecordOf, judgementOf } from '../../../leak/src/proof/growth-record.fixture.ts';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Frame, LevelRow } from '@plimsoll/host/protocol/frame';
import { OperatorLog } from './operator-log.ts';
import type { OperatorLogOptions } from './operator-log.ts';

const at = Date.UTC(2026, 10, 16, 5, 0, 0);

function logOf(options: Partial<OperatorLogOptions> = {}): {
  log: OperatorLog;
  lines: string[];
  clock: { now: number };
} {
  const lines: string[] = [];
  const clock = { now: at };
  const log = new OperatorLog({
    write: (text) => lines.push(text.trimEnd()),
    format: 'text',
    now: () => clock.now,
    ...options,
  });
  log.take(frameOf());
  lines.length = 0;
  return { log, lines, clock };
}

const level = (over: Partial<LevelRow> = {}): LevelRow => ({
  at,
  scope: 'process',
  from: 'normal',
  level: 'warning',
  usedBytes: 150 * 1024 ** 2,
  limitBytes: 200 * 1024 ** 2,
  source: 'heap',
  ...over,
});

const finding: Finding = {
  id: 'F-1',
  kind: 'survivor',
  severity: 'medium',
  scope: 'process/session:1',
  fingerprint: 'abc',
  firstSeen: at,
  lastSeen: at,
  count: 3,
  bytes: 1024 ** 2,
  subject: '"state" of the closed session',
  fix: 'remove it from sessions.',
};

const trace = [
  { type: 'root', name: 'module server.js', via: '', leaking: 'no', why: '' },
  { type: 'object', name: 'Map', via: 'variable sessions', leaking: 'maybe', why: '' },
  { type: 'object', name: 'Session', via: 'get(7)', leaking: 'yes', why: 'closed' },
] as const;

test('the first frame says which limit binds', () => {
  const lines: string[] = [];
  new OperatorLog({ write: (text) => lines.push(text), format: 'text', now: () => at }).take(frameOf());
  expect(lines).toEqual([`plimsoll: 2026-11-16T05:00:00Z run pid 4711, limit ${frameOf().limits.text}\n`]);
});

test('a change of level is said once', () => {
  const { log, lines } = logOf();
  log.take(frameOf({ levels: [level()] }));
  log.take(frameOf({ levels: [level()] }));
  log.take(frameOf({ levels: [level(), level({ at: at + 1, from: 'warning', level: 'critical' })] }));
  expect(lines).toEqual([
    'plimsoll: 2026-11-16T05:00:00Z level warning (was normal): process uses 150.0 MiB of 200.0 MiB (75 %)',
    'plimsoll: 2026-11-16T05:00:00Z level critical (was warning): process uses 150.0 MiB of 200.0 MiB (75 %)',
  ]);
});

test('a level that a forecast lifted says when memory is full', () => {
  const { log, lines } = logOf();
  const forecast = { ms: 21_000, low: 0, high: 1, bytesPerHour: 1, source: 'heap', at } as const;
  log.take(frameOf({ forecast, levels: [level(), level({ at: at + 1, scope: 'process/session:1' })] }));
  expect(lines.map((line) => line.slice(30))).toEqual([
    ' level warning (was normal): process uses 150.0 MiB of 200.0 MiB (75 %), full in 21 s at this pace',
    ' level warning (was normal): process/session:1 uses 150.0 MiB of 200.0 MiB (75 %)',
  ]);
});

test('a finding is said when it is new, when it is graver and when its holder is known', () => {
  const { log, lines } = logOf();
  log.take(frameOf({ findings: [finding, { ...finding, fingerprint: 'with it', severity: 'info' }] }));
  log.take(frameOf({ findings: [{ ...finding, count: 9 }] }));
  log.take(frameOf({ findings: [{ ...finding, count: 9, trace }] }));
  log.take(frameOf({ findings: [{ ...finding, severity: 'high', trace }] }));
  expect(lines.map((line) => line.slice(31))).toMatchInlineSnapshot(`
    [
      "finding medium survivor in process/session:1: "state" of the closed session, 1.0 MiB, seen 3 times; fix: remove it from sessions.",
      "finding medium survivor in process/session:1: "state" of the closed session, 1.0 MiB, seen 9 times, held by module server.js.variable sessions → Map.get(7); fix: remove it from sessions.",
      "finding high survivor in process/session:1: "state" of the closed session, 1.0 MiB, seen 3 times, held by module server.js.variable sessions → Map.get(7); fix: remove it from sessions.",
    ]
  `);
});

test('refused work is said when it begins and when it ends', () => {
  const { log, lines } = logOf();
  const admission = { state: 'refusing', ratio: 0.9, admitted: 10, refused: 7, points: [] } as const;
  const governance = { ...frameOf().governance, admission };
  log.take(frameOf({ governance }));
  log.take(frameOf({ governance }));
  log.take(frameOf());
  expect(lines.map((line) => line.slice(31))).toEqual([
    'refusal begins: the process is refusing, 90 % of sheddable work is refused',
    'refusal ended: work is admitted again, 0 refused so far',
  ]);
});

test('a policy that was given up is said with the reason, also when it was given up before the start', async () => {
  const policy = { ...frameOf().policy, file: '/p.yaml', mode: 'shadow' };
  const lines: string[] = [];
  const log = new OperatorLog({
    write: (text) => lines.push(text),
    format: 'text',
    writtenMode: 'enforce',
    whyMode: () => Promise.resolve('73 % of the work was refused'),
  });
  log.take(frameOf({ policy }));
  await expect.poll(() => lines.at(-1)).toMatch(/rollback/);
  expect(lines.at(-1)?.slice(31)).toBe(
    'rollback the policy is given up: its mode is shadow, not enforce; 73 % of the work was refused. plimsoll rollback --state says more, --undo takes it back\n',
  );
});

test('a policy that is refused and a ledger that fails are said, and that they are well again', () => {
  const { log, lines } = logOf();
  const broken: Partial<Frame> = {
    policy: { ...frameOf().policy, fault: 'PLM_POLICY_UNKNOWN_KEY: "limitt"' },
    ledger: { ...frameOf().ledger, fault: 'disk full', droppedSamples: 4 },
  };
  log.take(frameOf(broken));
  log.take(frameOf(broken));
  log.take(frameOf());
  expect(lines.map((line) => line.slice(31))).toEqual([
    'policy the policy file is refused, the one before stays in force: PLM_POLICY_UNKNOWN_KEY: "limitt"',
    'ledger the ledger is not written: disk full; 4 readings lost',
    'policy the policy file is good again and in force',
    'ledger the ledger is written again',
  ]);
});

test('a storm of changes is bounded, and the next line says what was left out', () => {
  const { log, lines, clock } = logOf();
  const storm = Array.from({ length: 500 }, (_, i) => level({ at: at + i, scope: `process/session:${i}` }));
  log.take(frameOf({ levels: storm }));
  expect(lines).toHaveLength(12);
  clock.now += 60_000;
  log.take(frameOf({ levels: [level({ at: at + 1000, level: 'critical' })] }));
  expect(lines).toHaveLength(13);
  expect(lines.at(-1)).toMatch(/ \(488 earlier level lines left out\)$/);
});

test('as JSON every line is one object with the numbers', () => {
  const { log, lines } = logOf({ format: 'json' });
  log.take(frameOf({ levels: [level({ scope: 'process/\u001b[2J' })] }));
  expect(JSON.parse(lines[0] as string)).toEqual({
    at: '2026-11-16T05:00:00.000Z',
    plimsoll: 'level',
    text: 'warning (was normal): process/\u001b[2J uses 150.0 MiB of 200.0 MiB (75 %)',
    pid: 4711,
    scope: 'process/\u001b[2J',
    from: 'normal',
    level: 'warning',
    usedBytes: 150 * 1024 ** 2,
    limitBytes: 200 * 1024 ** 2,
  });
  expect(lines[0]).not.toContain('\u001b');
});

test('nothing is said when the log is off', () => {
  const { log, lines } = logOf({ format: 'off' });
  log.take(frameOf({ levels: [level()] }));
  expect(lines).toEqual([]);
});

test('an incident is said when it opens, when its level rises and when it ends', () => {
  const { log, lines } = logOf();
  const incident = {
    ...incidentOf(at),
    level: 'warning' as const,
    headline: 'Memory grows.',
  };
  log.take(frameOf({ incident }));
  log.take(frameOf({ incident: { ...incident, headline: 'Memory grows more.' } }));
  log.take(frameOf({ incident: { ...incident, level: 'critical', headline: 'Memory grows fast.' } }));
  log.take(
    frameOf({ incident: { ...incident, level: 'critical', outcome: 'relieved', headline: 'It grew.' } }),
  );
  expect(lines).toEqual([
    'plimsoll: 2026-11-16T05:00:00Z incident opened: Memory grows.',
    'plimsoll: 2026-11-16T05:00:00Z incident goes on at level critical: Memory grows fast.',
    'plimsoll: 2026-11-16T05:00:00Z incident ended, relieved: It grew.',
  ]);
});

const growth = (
  shape: 'growing' | 'ended' | 'unclear',
  over: Partial<Exclude<Frame['growth'], null>> = {},
): Exclude<Frame['growth'], null> =>
  growthRecordOf({ heap: judgementOf(shape, 5 * 1024 ** 2) }, { suspectedAt: at, ...over });

test('growth that is suspected is said once, again with its holder, and when it is over', () => {
  const { log, lines, clock } = logOf();
  const quiet = { findings: [] };
  const container = {
    path: [{ via: 'variable sessions', name: 'Map' }],
    kind: 'Map',
    gained: 320,
    entryBytes: 900,
    isLight: false,
    hasTexts: false,
    shape: 'growing',
    odds: 9,
    formerPace: 0,
  } as const;
  log.take(frameOf({ ...quiet, growth: growth('growing') }));
  log.take(frameOf({ ...quiet, growth: growth('unclear') }));
  clock.now += 15_000;
  log.take(frameOf({ ...quiet, growth: growth('growing') }));
  for (const count of [900, 940])
    log.take(frameOf({ ...quiet, growth: growth('growing', { containers: [{ ...container, count }] }) }));
  log.take(frameOf({ ...quiet, growth: growth('growing') }));
  log.take(frameOf({ ...quiet, growth: growth('ended') }));
  expect(lines).toEqual([
    'plimsoll: 2026-11-16T05:00:15Z growth suspected: growing by 300.0 MiB per hour',
    'plimsoll: 2026-11-16T05:00:15Z growth suspected: growing by 300.0 MiB per hour: sessions has 900 entries, 320 more than at first',
    'plimsoll: 2026-11-16T05:00:15Z growth memory no longer grows',
  ]);
});

test('a container that rises beyond doubt is suspected whatever the floors say', () => {
  const { log, lines } = logOf();
  const grown = {
    path: [{ via: 'variable sessions', name: 'Map' }],
    kind: 'Map',
    count: 900,
    gained: 320,
    entryBytes: 900,
    isLight: false,
    hasTexts: false,
    shape: 'growing',
    odds: 9,
    formerPace: 0,
  } as const;
  const take = (container: object): void =>
    log.take(
      frameOf({ findings: [], growth: growth('unclear', { containers: [{ ...grown, ...container }] }) }),
    );
  for (const less of [{ odds: 2 }, { entryBytes: 80 }, { formerPace: 2 }, { shape: 'slowing' }]) take(less);
  expect(lines).toEqual([]);
  take({});
  expect(lines).toEqual([
    'plimsoll: 2026-11-16T05:00:00Z growth suspected: growing: sessions has 900 entries, 320 more than at first',
  ]);
});

test('growth without a holder that is over after some seconds is not said', () => {
  const { log, lines, clock } = logOf();
  for (const shape of ['growing', 'ended', 'growing'] as const) {
    log.take(frameOf({ findings: [], growth: growth(shape) }));
    clock.now += 14_000;
  }
  log.take(frameOf({ findings: [], growth: growth('ended') }));
  expect(lines).toEqual([]);
});
