import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import { describe, expect, test } from 'vitest';
import type { ActionRecord } from '../actions/action.ts';
import type { Incident } from './incident.ts';
import { IncidentBook } from './incident-book.ts';
import type { IncidentFacts } from './incident-book.ts';

const MiB = 1024 ** 2;
const start = Date.UTC(2026, 10, 15, 2, 0, 0);

const leak: Finding = {
  id: 'F-1',
  kind: 'growth',
  severity: 'high',
  scope: 'process',
  fingerprint: 'abc',
  firstSeen: start,
  lastSeen: start,
  count: 1,
  bytes: 168 * MiB,
  rate: 9 * 1024 * MiB,
  holder: 'SessionStore.sessions',
  trace: [],
  fix: 'remove entries from SessionStore.sessions when their work ends.',
};

/** A book in a process whose clock and facts the test moves. */
function processOf(first: Partial<IncidentFacts> = {}) {
  const told: Incident[] = [];
  const book = new IncidentBook({ onChange: (incident) => told.push(incident) });
  let facts: IncidentFacts = {
    at: start,
    nowMs: 0,
    level: 'normal',
    mode: 'enforce',
    usedBytes: 100 * MiB,
    limitBytes: 205 * MiB,
    findings: [],
    forecast: null,
    admission: { state: 'open', refused: 0 },
    waiting: [],
    restart: undefined,
    ...first,
  };
  return {
    told,
    book,
    /** Takes a reading `s` seconds after the last one. */
    after(s: number, changes: Partial<IncidentFacts> = {}): void {
      facts = { ...facts, ...changes, at: facts.at + s * 1000, nowMs: facts.nowMs + s * 1000 };
      book.take(facts);
    },
    act(changes: Partial<ActionRecord>): void {
      book.action({
        action: 'session.park',
        outcome: 'done',
        at: facts.at,
        freedBytes: null,
        text: 'parked 3 sessions.',
        ...changes,
      } as ActionRecord);
    },
  };
}

const forecast = {
  ms: 40_000,
  low: 30_000,
  high: 60_000,
  bytesPerHour: 1,
  source: 'heap',
  at: start,
} as const;

describe('IncidentBook', () => {
  test('a healthy process has none', () => {
    const { after, book } = processOf();
    after(1, {
      findings: [
        { ...leak, severity: 'low' },
        { ...leak, endedAt: start },
      ],
    });
    expect(book.newest).toBeNull();
  });

  test('one leak is one story with one headline', () => {
    const { after, act, book, told } = processOf();
    after(1, { findings: [{ ...leak, holder: undefined as never, trace: undefined as never }] });
    after(1, { findings: [leak], forecast });
    after(5, { level: 'warning', usedBytes: 160 * MiB });
    act({ freedBytes: 2 * MiB });
    act({ freedBytes: 1 * MiB });
    act({ action: 'notify' });
    act({ action: 'cache.drop', outcome: 'settling' });
    after(5, { level: 'emergency', usedBytes: 190 * MiB, admission: { state: 'refusing', refused: 12 } });
    expect(book.newest?.headline).toMatchInlineSnapshot(
      `"SessionStore.sessions holds 168.0 MiB and grows by 9.0 GiB per hour; full in 40 s; new work is refused (12 so far), actions freed 3.0 MiB."`,
    );
    expect(book.newest?.events.map(({ text, count }) => `${count} ${text}`)).toMatchInlineSnapshot(`
      [
        "2 high finding: growing memory in process, 168.0 MiB, held by SessionStore.sessions",
        "1 level rises to warning at 160.0 MiB of 205.0 MiB (78 %)",
        "2 session.park: parked 3 sessions.",
        "1 level rises to emergency at 190.0 MiB of 205.0 MiB (93 %)",
        "1 new work meets: refusing, 12 refused so far",
      ]
    `);
    expect(book.newest).toMatchObject({
      level: 'emergency',
      refused: 12,
      freedBytes: 3 * MiB,
      fix: leak.fix,
      outcome: null,
    });
    expect(new Set(told.map(({ id }) => id)).size).toBe(1);
  });

  test('numbers alone are no news', () => {
    const { after, told } = processOf();
    after(1, { level: 'warning', usedBytes: 160 * MiB });
    for (let i = 0; i < 10; i++) after(1, { usedBytes: (160 + i) * MiB });
    expect(told).toHaveLength(1);
    expect(told[0]?.headline).toMatchInlineSnapshot(
      `"The process uses 160.0 MiB of 205.0 MiB (78 %); its holder is not known yet; no action has run yet."`,
    );
  });

  test('it ends after a minute without a sign; a level that flaps is the same story', () => {
    const { after, book, told } = processOf();
    after(1, { level: 'critical' });
    after(1, { level: 'normal' });
    after(50, { level: 'critical' });
    after(1, { level: 'normal' });
    after(59);
    expect(book.newest?.outcome).toBeNull();
    after(2);
    expect(book.newest).toMatchObject({ outcome: 'relieved', level: 'critical' });
    expect(told.at(-1)?.events.at(-1)?.text).toContain('relieved: 100.0 MiB of 205.0 MiB');
    after(1, { level: 'warning' });
    expect(book.newest).toMatchObject({ outcome: null, level: 'warning' });
    expect(new Set(told.map(({ id }) => id)).size).toBe(2);
  });

  test('a finding that is taken back ends the story that it opened', () => {
    const { after, book } = processOf();
    after(1, { findings: [leak] });
    after(1, { findings: [{ ...leak, severity: 'info', endedAt: start }] });
    after(61);
    expect(book.newest?.outcome).toBe('taken back');
  });

  test('it ends with the process, and says whether that is a restart', () => {
    for (const [isRestart, outcome] of [
      [true, 'restarted'],
      [false, 'exited'],
    ] as const) {
      const { after, book } = processOf();
      book.exit(start, isRestart);
      expect(book.newest).toBeNull();
      after(1, { level: 'emergency', mode: 'observe', waiting: ['A-1'] });
      expect(book.newest?.headline).toContain('1 approval waits for an answer');
      book.exit(start + 5000, isRestart);
      expect(book.newest).toMatchObject({ outcome, endedAt: start + 5000 });
    }
  });

  test('a restart is in the headline and in the time line from the decision on', () => {
    const { after, act, book, told } = processOf();
    after(1, { level: 'emergency', restart: 'restart at 02:08:10 UTC' });
    after(1, { admission: { state: 'closed', refused: 3 } });
    expect(book.newest?.headline).toContain('new work is refused (3 so far), restart at 02:08:10 UTC.');
    act({ action: 'process.restart', text: 'drains.' });
    after(1, { admission: { state: 'open', refused: 3 }, restart: 'the next life listens' });
    after(1);
    expect(book.newest?.headline).toContain('; the next life listens.');
    expect(book.newest?.events.filter(({ kind }) => kind === 'restart')).toMatchObject([
      { text: 'restart at 02:08:10 UTC', count: 1 },
      { text: 'the next life listens', count: 1 },
    ]);
    expect(told.map(({ revision }) => revision)).toEqual([1, 2, 3]);
    after(1, { restart: undefined });
    expect(book.newest?.events.at(-1)).toMatchObject({ kind: 'restart', text: 'the restart was taken back' });
  });

  test('without an action the headline says why none ran', () => {
    const { after, book } = processOf();
    after(1, { level: 'emergency', mode: 'observe', usedBytes: 300 * MiB });
    expect(book.newest?.headline).toBe(
      'The process uses 300.0 MiB of 205.0 MiB (146 %); the limit is reached; nothing is done about it in mode observe.',
    );
  });

  test('survivors and listeners are named, and a finding without bytes says what it is', () => {
    const { after, book } = processOf();
    const survivor: Finding = {
      ...leak,
      kind: 'survivor',
      count: 608,
      subject: 'the closed session',
      bytes: 0,
    };
    after(1, { findings: [survivor] });
    expect(book.newest?.headline).toBe(
      '608 closed sessions in SessionStore.sessions are still alive and grow by 9.0 GiB per hour.',
    );
    const listener = processOf();
    listener.after(1, {
      findings: [
        {
          ...leak,
          kind: 'listener',
          subject: '"abort" on AbortSignal',
          site: 'run.ts:51',
          scope: 'process/agent:a',
        },
      ],
    });
    expect(listener.book.newest?.headline).toContain(
      '"abort" on AbortSignal in process/agent:a (run.ts:51) holds 168.0 MiB',
    );
  });

  test('the time line of a long incident is bounded and keeps its beginning', () => {
    const { after, book } = processOf();
    for (let i = 0; i < 500; i++)
      after(1, { findings: [{ ...leak, fingerprint: `f${i}`, subject: `thing ${i}` }] });
    const { events, eventsLeftOut } = book.newest as Incident;
    expect(events).toHaveLength(48);
    expect(eventsLeftOut).toBe(452);
    expect(events[0]?.text).toContain('thing 0');
    expect(events.at(-1)?.text).toContain('thing 499');
  });
});
