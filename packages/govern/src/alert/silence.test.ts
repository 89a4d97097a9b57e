import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hour } from './alert.fixture.ts';
import type { Labels } from './alert.ts';
import { SilenceList, formatMatcher, longestSilenceMs, mostSilences, parseMatcher } from './silence.ts';

const labels: Labels = {
  alertname: 'memory.level',
  level: 'critical',
  service: 'checkout',
  pod: 'pod-1',
  kind: 'session',
  subject: '',
};
const now = { ms: 0, at: 1000 };
const given = { matchers: [parseMatcher('kind=session')], author: 'ann', forMs: hour };

test.each([
  ['kind=session', true],
  ['kind=agent', false],
  ['kind!=agent', true],
  ['pod=pod-*', true],
  ['pod=*-2', false],
  ['pod=*', true],
  ['subject=', true],
  ['alertname=memory.*', true],
  ['alertname=mem*lev*', true],
  ['alertname=mem*x*', false],
])('%s matches: %s', (text, expected) => {
  const list = new SilenceList();
  list.add({ ...given, matchers: [parseMatcher(text)] }, now);
  expect(list.find(labels) !== undefined).toBe(expected);
  expect(formatMatcher(parseMatcher(text))).toBe(text);
});

test('a pattern matches what the same pattern as a regular expression matches', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  fc.assert(
    fc.property(letters, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 }), (pattern, text) => {
      const list = new SilenceList();
      list.add({ ...given, matchers: [parseMatcher(`kind=${pattern}`)] }, now);
      const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text);
      expect(list.find({ ...labels, kind: text }) !== undefined).toBe(expected);
    }),
  );
});

describe('what is refused', () => {
  const refusal = (more: Partial<Parameters<SilenceList['add']>[0]>): string => {
    try {
      new SilenceList().add({ ...given, ...more }, now);
      return 'taken';
    } catch (error) {
      return String(error);
    }
  };

  test('each says what is missing', () => {
    const matcher = parseMatcher('kind=a');
    expect(
      [
        refusal({ matchers: [] }),
        refusal({ matchers: Array.from({ length: 11 }, () => matcher) }),
        refusal({ author: ' ' }),
        refusal({ comment: 'x'.repeat(201) }),
        refusal({ forMs: 0 }),
        refusal({ forMs: Number.NaN }),
        refusal({ forMs: longestSilenceMs + 1 }),
      ].join('\n'),
    ).toMatchInlineSnapshot(`
      "PLM_ALERT_BAD_SILENCE: it has no matcher.
        at:  plimsoll silence
        fix: add one such as kind=session.
      PLM_ALERT_BAD_SILENCE: it has 11 matchers.
        at:  plimsoll silence
        fix: use 10 at most.
      PLM_ALERT_BAD_SILENCE: it has no author.
        at:  plimsoll silence
        fix: name one, in at most 200 characters.
      PLM_ALERT_BAD_SILENCE: its comment is too long.
        at:  plimsoll silence
        fix: use 200 characters at most.
      PLM_ALERT_BAD_SILENCE: its time is out of bounds.
        at:  plimsoll silence
        fix: give a time of up to 30 d, such as 2h.
      PLM_ALERT_BAD_SILENCE: its time is out of bounds.
        at:  plimsoll silence
        fix: give a time of up to 30 d, such as 2h.
      PLM_ALERT_BAD_SILENCE: its time is out of bounds.
        at:  plimsoll silence
        fix: give a time of up to 30 d, such as 2h."
    `);
  });

  test.each(['', 'kind', 'kind~x', 'colour=red', '=x', '__proto__=x'])('%j is no matcher', (text) => {
    expect(() => parseMatcher(text)).toThrow('is not a matcher');
  });

  test('more than the bound', () => {
    const list = new SilenceList();
    for (let i = 0; i < mostSilences; i++) list.add(given, now);
    expect(() => list.add(given, now)).toThrow('there are 100 silences');
    // Those that are over make room.
    expect(list.add(given, { ms: hour, at: 1000 }).author).toBe('ann');
    expect(list.list(hour)).toHaveLength(1);
  });
});

test('a silence ends by the time that passed, whatever the wall clock says', () => {
  const list = new SilenceList();
  const silence = list.add(given, now);
  expect(silence).toMatchObject({ createdAt: 1000, endsAt: 1000 + hour, comment: '' });
  expect(list.nextEndMs).toBe(hour);
  expect(list.list(hour - 1)).toEqual([silence]);
  expect(list.list(hour)).toEqual([]);
  expect(list.nextEndMs).toBe(Infinity);
});
