import { describe, expect, test } from 'vitest';
import { PlimsollError } from '@plimsoll/core';
import { actionNames } from './actions.ts';
import { problemsOf, refused, withHeader } from './policy.fixture.ts';
import type { PolicyError } from './parse.ts';
import { checkPolicy, parsePolicy, positionOf } from './parse.ts';

describe('a policy that does not', () => {
  test.each(Object.entries(refused))('%s', (_, text) => {
    expect(problemsOf(text)).not.toBe('');
  });

  test('control characters of a key, a value or a name are escaped', () => {
    const text = problemsOf(
      withHeader('"a\\e[2J\\u202eb": 1\nmode: "\\e]0;x\\a"\nbudgets: { agents: { "\\e[1m": { maxx: 1 } } }'),
    );
    // eslint-disable-next-line no-control-regex -- the point of the test
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain('"a\\x1b[2J\\u202eb" is not a key');
  });

  test('every fault at once, in the order of the file', () => {
    expect(
      problemsOf(`apiVersion: plimsoll/v2
mode: enforced
modee: x
revision: 1.5
levels:
  warning: { enter: 60, exit: 70% }
  critical: { enter: 50% }
  emergency: { exit: 40% }
signal: { sample: 5 parsecs, fast: 2s, stale: 1s }
budgets:
  global: { max: 1GiB, reserve: 32MiB }
  agents:
    - a
  sessions:
    "a-*": { max: 2GiB, idel: 5m }
    "*-b": { max: 8MB }
    x: [1]
    y: 12
  tools: { z: { max: , priority: high } }
ladder:
  warning:
    - notfy
    - cache.shrink: { to: 70% }
    - { notify: {}, notify2: {} }
    - {}
    - 12
  critical: notify
  emergency: [ notify: { mood: x } ]
ledger: { samples: { raw: 90d, 1m: 30d, 1h: 1d }, max-size: 12 }
exempt: { scopes: [billing] }
levelz: {}
`).replaceAll(actionNames.join(', '), '<actions>'),
    ).toMatchInlineSnapshot(`
      "PLM_POLICY_BAD_VALUE: "plimsoll/v2" is not accepted here; it has to be the version of this form: plimsoll/v1.
        at:  plimsoll.yaml:1:13  apiVersion
        fix: write plimsoll/v1.

      PLM_POLICY_BAD_VALUE: "enforced" is not accepted here; it has to be a mode: observe, shadow, enforce.
        at:  plimsoll.yaml:2:7  mode
        fix: write enforce.

      PLM_POLICY_UNKNOWN_KEY: "modee" is not a key of a policy.
        at:  plimsoll.yaml:3:1
        fix: rename it to "mode". Keys of a policy: apiVersion, revision, release, mode, limits, levels, signal, budgets, admission, ladder, approvals, settle, guards, ledger, sessions, adapters, alerts, rollback, exempt.

      PLM_POLICY_BAD_VALUE: 1.5 is not accepted here; it has to be a whole number such as 14.
        at:  plimsoll.yaml:4:11  revision
        fix: write 14.

      PLM_POLICY_NO_UNIT: 60 has no unit.
        at:  plimsoll.yaml:6:21  levels.warning.enter
        fix: write the unit you mean, such as 60%.

      PLM_POLICY_LEVEL_GAP: level warning begins at 60 % and ends at 70 %; it has to end below where it begins.
        at:  plimsoll.yaml:6:31  levels.warning.exit
        fix: lower "exit", 5 points below "enter" is usual.

      PLM_POLICY_LEVEL_GAP: level critical begins at 50 % and ends at 75 %; it has to end below where it begins.
        at:  plimsoll.yaml:7:13  levels.critical.exit
        fix: lower "exit", 5 points below "enter" is usual.

      PLM_POLICY_LEVEL_ORDER: "enter" of critical is 50 % and that of warning is 60 %; levels have to rise.
        at:  plimsoll.yaml:7:22  levels.critical.enter
        fix: raise "enter" of critical above 60 %, or lower that of warning.

      PLM_POLICY_LEVEL_ORDER: "exit" of emergency is 40 % and that of critical is 75 %; levels have to rise.
        at:  plimsoll.yaml:8:22  levels.emergency.exit
        fix: raise "exit" of emergency above 75 %, or lower that of critical.

      PLM_POLICY_BAD_VALUE: "5 parsecs" is not accepted here; it has to be a duration from 100 ms to 1 m with a unit, such as 1s.
        at:  plimsoll.yaml:9:19  signal.sample
        fix: write 1s.

      PLM_POLICY_ORDER: "fast" is 2 s and "sample" is 1 s; fast readings may not be slower.
        at:  plimsoll.yaml:9:36  signal.fast
        fix: lower "fast" to 1 s or less.

      PLM_POLICY_ORDER: "stale" is 1 s and "sample" is 1 s; one late reading would count as stale.
        at:  plimsoll.yaml:9:47  signal.stale
        fix: raise "stale" to 2 s or more.

      PLM_POLICY_WRONG_KIND: there is a list here; it has to be a map of agents.
        at:  plimsoll.yaml:13:5  budgets.agents
        fix: write "name: { ... }" lines under it, without "-".

      PLM_POLICY_ABOVE_PARENT: sessions "a-*" may hold 2.0 GiB, but the global budget around it only 992.0 MiB.
        at:  plimsoll.yaml:15:19  budgets.sessions."a-*".max
        fix: lower it to 992.0 MiB or less, or raise the global budget.

      PLM_POLICY_UNKNOWN_KEY: "idel" is not a key of a budget.
        at:  plimsoll.yaml:15:25  budgets.sessions."a-*"
        fix: rename it to "idle". Keys of a budget: max, priority, idle.

      PLM_POLICY_TIE: "a-*" and "*-b" are equally specific and can match the same name.
        at:  plimsoll.yaml:16:5  budgets.sessions."*-b"
        fix: make one of them longer, or merge it with line 15.

      PLM_POLICY_WRONG_KIND: there is a list here; it has to be a map, a budget.
        at:  plimsoll.yaml:17:8  budgets.sessions.x
        fix: write "max: ..." lines under it, without "-".

      PLM_POLICY_WRONG_KIND: there is the value "12" here; it has to be a map, a budget.
        at:  plimsoll.yaml:18:8  budgets.sessions.y
        fix: write "max: ..." lines under it, without "-".

      PLM_POLICY_BAD_VALUE: an empty value is not accepted here; it has to be a size with a unit or a percentage of the true limit, such as 64MiB or 25%.
        at:  plimsoll.yaml:19:22  budgets.tools.z.max
        fix: write 64MiB.

      PLM_POLICY_BAD_VALUE: "high" is not accepted here; it has to be a priority: critical, normal, sheddable.
        at:  plimsoll.yaml:19:34  budgets.tools.z.priority
        fix: write critical.

      PLM_POLICY_UNKNOWN_ACTION: "notfy" is not an action.
        at:  plimsoll.yaml:22:7  ladder.warning[0]
        fix: rename it to "notify". Actions: <actions>.

      PLM_POLICY_UNKNOWN_ACTION: "cache.shrink" is not an action.
        at:  plimsoll.yaml:23:7  ladder.warning[1]
        fix: remove the rung. Actions: <actions>.

      PLM_POLICY_WRONG_KIND: there is a map with 2 keys here; it has to be a rung with one key, the action.
        at:  plimsoll.yaml:24:7  ladder.warning[2]
        fix: start a new "- " line for each action.

      PLM_POLICY_UNKNOWN_ACTION: "notify2" is not an action.
        at:  plimsoll.yaml:24:21  ladder.warning[2]
        fix: rename it to "notify". Actions: <actions>.

      PLM_POLICY_WRONG_KIND: there is a map with 0 keys here; it has to be a rung with one key, the action.
        at:  plimsoll.yaml:25:7  ladder.warning[3]
        fix: start a new "- " line for each action.

      PLM_POLICY_BAD_VALUE: 12 is not accepted here; it has to be a known action: <actions>.
        at:  plimsoll.yaml:26:7  ladder.warning[4]
        fix: write signal.fast.

      PLM_POLICY_WRONG_KIND: there is the value "notify" here; it has to be a list of rungs.
        at:  plimsoll.yaml:27:13  ladder.critical
        fix: start each item with "- ".

      PLM_POLICY_UNKNOWN_KEY: "mood" is not a key of the options of notify.
        at:  plimsoll.yaml:28:26  ladder.emergency[0].notify
        fix: remove it. Keys of the options of notify: mode, cooldown.

      PLM_POLICY_ORDER: "1m" is kept for 30 d and "raw" for 90 d; coarse rows may not go before fine ones.
        at:  plimsoll.yaml:29:36  ledger.samples.1m
        fix: raise "1m" to 90 d or more.

      PLM_POLICY_ORDER: "1h" is kept for 1 d and "1m" for 30 d; coarse rows may not go before fine ones.
        at:  plimsoll.yaml:29:45  ledger.samples.1h
        fix: raise "1h" to 30 d or more.

      PLM_POLICY_NO_UNIT: 12 has no unit.
        at:  plimsoll.yaml:29:61  ledger.max-size
        fix: write the unit you mean, such as 12MiB.

      PLM_POLICY_BAD_VALUE: "billing" is not accepted here; it has to be a scope kind and a name or glob, such as service:billing.
        at:  plimsoll.yaml:30:20  exempt.scopes[0]
        fix: write service:billing.

      PLM_POLICY_UNKNOWN_KEY: "levelz" is not a key of a policy.
        at:  plimsoll.yaml:31:1
        fix: rename it to "levels". Keys of a policy: apiVersion, revision, release, mode, limits, levels, signal, budgets, admission, ladder, approvals, settle, guards, ledger, sessions, adapters, alerts, rollback, exempt."
    `);
  });

  test('nothing at all', () => {
    expect(problemsOf('')).toMatchInlineSnapshot(`
      "PLM_POLICY_MISSING_KEY: a policy needs the key "apiVersion".
        at:  plimsoll.yaml:1:1
        fix: add "apiVersion: plimsoll/v1"."
    `);
  });

  test('a map where a word belongs, a word where a map belongs', () => {
    expect(problemsOf(withHeader('mode: { a: 1 }\nlimits: none\nledger: [ a ]'))).toMatchInlineSnapshot(`
      "PLM_POLICY_WRONG_KIND: there is a map here; it has to be a mode: observe, shadow, enforce.
        at:  plimsoll.yaml:2:7  mode
        fix: write observe.

      PLM_POLICY_WRONG_KIND: there is the value "none" here; it has to be a map, the limits.
        at:  plimsoll.yaml:3:9  limits
        fix: write "heap: ..." lines under it, without "-".

      PLM_POLICY_WRONG_KIND: there is a list here; it has to be a map, the ledger.
        at:  plimsoll.yaml:4:9  ledger
        fix: write "samples: ..." lines under it, without "-"."
    `);
  });

  test('a reserve above the global budget', () => {
    expect(
      problemsOf(
        withHeader('budgets: { global: { max: 1MiB, reserve: 2MiB }, tools: { t: { max: 1GiB } } }'),
      ),
    ).toMatchInlineSnapshot(`
      "PLM_POLICY_ABOVE_PARENT: the reserve may hold 2.0 MiB, but the global budget around it only 1.0 MiB.
        at:  plimsoll.yaml:2:42  budgets.global.reserve
        fix: lower it to 1.0 MiB or less, or raise the global budget."
    `);
  });

  test('long values are cut', () => {
    expect(problemsOf(withHeader(`mode: ${'x'.repeat(500)}\n${'k'.repeat(500)}: 1`))).not.toContain(
      'x'.repeat(61),
    );
  });

  test('at most 50 faults and 20 ties are listed', () => {
    const globs = Array.from(
      { length: 60 },
      (_, i) => `    "*${String.fromCharCode(97 + (i % 26))}${i}*": { max: 1 }`,
    );
    const { problems } = checkPolicy(withHeader(`budgets:\n  agents:\n${globs.join('\n')}`), 'p');
    expect(problems).toHaveLength(50);
    expect(problems.filter(({ code }) => code === 'PLM_POLICY_TIE').length).toBeLessThanOrEqual(20);
  });
});

describe('thrown', () => {
  const thrown = (text: string): PolicyError => {
    try {
      parsePolicy(text, 'p.yaml');
    } catch (error) {
      return error as PolicyError;
    }
    throw new Error('accepted');
  };

  test('one fault is thrown as itself', () => {
    const error = thrown(withHeader('mode: 3'));
    expect(error).toBeInstanceOf(PlimsollError);
    expect(error.code).toBe('PLM_POLICY_BAD_VALUE');
    expect(error.problems).toHaveLength(1);
  });

  test('several faults are thrown together', () => {
    const error = thrown(withHeader('mode: 3\nrevision: x'));
    expect(String(error)).toMatchInlineSnapshot(`
      "PLM_POLICY_SEVERAL: the policy has 2 faults.
        at:  p.yaml
        fix: correct each of these.

      PLM_POLICY_BAD_VALUE: 3 is not accepted here; it has to be a mode: observe, shadow, enforce.
        at:  p.yaml:2:7  mode
        fix: write observe.

      PLM_POLICY_BAD_VALUE: "x" is not accepted here; it has to be a whole number such as 14.
        at:  p.yaml:3:11  revision
        fix: write 14."
    `);
    expect(error.problems.map(positionOf)).toEqual([
      { line: 2, column: 7 },
      { line: 3, column: 11 },
    ]);
  });

  test('a fault of the whole file has no position', () => {
    expect(positionOf(thrown('x'.repeat(200_000)).problems[0] as PlimsollError)).toEqual({
      line: 0,
      column: 0,
    });
  });
});
