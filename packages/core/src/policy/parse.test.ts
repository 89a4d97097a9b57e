import { describe, expect, test } from 'vitest';
import { PlimsollError } from '../errors.ts';
import { accepted, fullPolicy, problemsOf, refused, withHeader } from './policy.fixture.ts';
import type { PolicyError } from './parse.ts';
import { checkPolicy, parsePolicy, positionOf } from './parse.ts';

describe('a policy that fits', () => {
  test('every key is read, and lands in the policy with bytes, ms and ratios', () => {
    const { budgets, ladder, exempt, sha256, notes, ...rest } = parsePolicy(fullPolicy, 'plimsoll.yaml');
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(notes).toEqual([]);
    expect(rest).toMatchInlineSnapshot(`
      {
        "alerts": {
          "a2aServer": {
            "host": "127.0.0.1",
            "place": {
              "column": 15,
              "file": "plimsoll.yaml",
              "line": 81,
            },
            "port": 7434,
            "url": "https://memory.example.com",
          },
          "declared": true,
          "groupBy": [
            "service",
            "level",
          ],
          "groupIntervalMs": 300000,
          "groupWaitMs": 30000,
          "inhibit": [
            {
              "equal": [
                "service",
                "pod",
              ],
              "source": "emergency",
              "target": [
                "critical",
                "warning",
              ],
            },
          ],
          "recipients": [
            {
              "allowPrivate": false,
              "attempts": 1,
              "kind": "log",
              "name": "log",
              "place": {
                "column": 0,
                "file": "built-in",
                "line": 0,
              },
              "resendMs": 60000,
              "timeoutMs": 5000,
            },
            {
              "allowPrivate": false,
              "attempts": 5,
              "kind": "webhook",
              "name": "ops",
              "place": {
                "column": 5,
                "file": "plimsoll.yaml",
                "line": 72,
              },
              "resendMs": 60000,
              "secret": {
                "env": "OPS_SECRET",
              },
              "timeoutMs": 5000,
              "url": "https://alerts.example.com/hook",
            },
            {
              "allowPrivate": false,
              "attempts": 5,
              "kind": "slack",
              "name": "chat",
              "place": {
                "column": 5,
                "file": "plimsoll.yaml",
                "line": 73,
              },
              "resendMs": 60000,
              "timeoutMs": 5000,
              "url": {
                "env": "SLACK_URL",
              },
            },
            {
              "allowPrivate": true,
              "attempts": 5,
              "kind": "alertmanager",
              "name": "prometheus",
              "place": {
                "column": 5,
                "file": "plimsoll.yaml",
                "line": 74,
              },
              "resendMs": 60000,
              "timeoutMs": 5000,
              "token": {
                "file": "/run/secrets/am",
              },
              "url": "http://alertmanager:9093",
            },
            {
              "allowPrivate": false,
              "attempts": 5,
              "kind": "a2a",
              "name": "captain",
              "place": {
                "column": 5,
                "file": "plimsoll.yaml",
                "line": 75,
              },
              "resendMs": 60000,
              "timeoutMs": 5000,
              "token": {
                "env": "CAPTAIN_TOKEN",
              },
              "url": "https://captain.example.com",
            },
            {
              "allowPrivate": false,
              "attempts": 5,
              "kind": "a2a",
              "name": "coordinator",
              "place": {
                "column": 5,
                "file": "plimsoll.yaml",
                "line": 76,
              },
              "resendMs": 60000,
              "timeoutMs": 5000,
              "url": "https://coordinator.example.com",
            },
          ],
          "repeatMs": 14400000,
          "routes": {
            "critical": [
              "ops",
              "prometheus",
              "captain",
              "coordinator",
            ],
            "emergency": [
              "ops",
              "chat",
              "prometheus",
              "captain",
              "coordinator",
            ],
            "warning": [
              "log",
              "coordinator",
            ],
          },
          "service": "checkout",
          "urgentWaitMs": 1000,
        },
        "approvals": {
          "delegation": {
            "approval": "deep",
            "deeperThan": 4,
          },
          "operations": {
            "approval": "deep",
            "from": "critical",
          },
          "rules": {
            "deep": {
              "breakGlass": "never",
              "by": [
                "owner",
              ],
              "mode": undefined,
              "name": "deep",
              "onExpiry": "deny",
              "pendingMax": 32,
              "place": {
                "column": 3,
                "file": "plimsoll.yaml",
                "line": 51,
              },
              "quorum": 1,
              "ttlMs": 600000,
            },
            "operator": {
              "breakGlass": "never",
              "by": [
                "owner",
              ],
              "name": "operator",
              "onExpiry": "deny",
              "pendingMax": 32,
              "place": {
                "column": 0,
                "file": "built-in",
                "line": 0,
              },
              "quorum": 1,
              "ttlMs": 120000,
            },
            "ops": {
              "breakGlass": "emergency",
              "by": [
                "group:sre",
                "agent:captain",
              ],
              "mode": "enforce",
              "name": "ops",
              "onExpiry": "skip",
              "pendingMax": 32,
              "place": {
                "column": 3,
                "file": "plimsoll.yaml",
                "line": 50,
              },
              "quorum": 2,
              "ttlMs": 120000,
            },
          },
        },
        "file": "plimsoll.yaml",
        "global": {
          "max": {
            "ratio": 1,
          },
          "place": {
            "column": 11,
            "file": "plimsoll.yaml",
            "line": 15,
          },
          "reserveBytes": 33554432,
        },
        "guards": {
          "destructive": {
            "rate": {
              "count": 10,
              "perMs": 60000,
            },
            "shareOfWorkRatio": 0.1,
          },
          "selfDisable": {
            "forMs": 300000,
            "shedShareRatio": 0.5,
          },
        },
        "levels": {
          "critical": {
            "enterRatio": 0.8,
            "exitRatio": 0.75,
            "forMs": 10000,
            "keepMs": 60000,
          },
          "emergency": {
            "enterRatio": 0.95,
            "exitRatio": 0.9,
            "forMs": 2000,
            "keepMs": 60000,
          },
          "warning": {
            "enterRatio": 0.6,
            "exitRatio": 0.55,
            "forMs": 30000,
            "keepMs": 60000,
          },
        },
        "limits": {
          "heapUsableRatio": 0.75,
          "nativeMaxBytes": 536870912,
          "rssMaxBytes": 2147483648,
        },
        "mode": "shadow",
        "retention": {
          "hourMs": 63072000000,
          "maxBytes": 1073741824,
          "minuteMs": 7776000000,
          "rawMs": 604800000,
        },
        "revision": 14,
        "rollback": {
          "blockedForMs": 300000,
          "blockedRatio": 0.5,
          "cooldownMs": 3600000,
          "gcEffectivenessRatio": 0.7,
          "goodAfterMs": 600000,
          "growthBytes": 20971520,
          "loopDelayMs": 1000,
          "loopForMs": 30000,
          "to": "last-good",
        },
        "settle": {
          "againMs": 30000,
          "atMostMs": 15000,
          "minFreedRatio": 0.05,
          "wait": "next-major-gc",
        },
        "signal": {
          "fastMs": 250,
          "graceMs": 60000,
          "sampleMs": 1000,
          "staleMs": 15000,
        },
      }
    `);
    const rules = Object.values(budgets)
      .flat()
      .map(({ section, glob, max, priority, idleMs, place }) =>
        [section, glob.text, JSON.stringify(max), priority, idleMs, place.line].join(' '),
      );
    expect(rules).toMatchInlineSnapshot(`
      [
        "services vector-store {"bytes":209715200} critical  17",
        "services messaging {"bytes":104857600}   18",
        "agents research-* {"bytes":157286400} sheddable  21",
        "agents * {"bytes":67108864}  300000 20",
        "sessions * {"bytes":8388608}  900000 23",
        "runs * {"ratio":0.1}   24",
        "stages rag {"bytes":4194304}   25",
        "tools * {"bytes":2097152}   26",
      ]
    `);
    expect(ladder.warning[0]).toMatchObject({ action: 'notify', options: {}, place: { line: 29 } });
    expect(ladder.critical[0]).toMatchObject({ action: 'notify', mode: 'enforce', place: { line: 35 } });
    expect(ladder.emergency[0]).toMatchObject({ action: 'notify', options: {} });
    expect(exempt).toMatchObject([{ kind: 'service', glob: { text: 'billing' } }]);
  });

  test.each(Object.entries(accepted))('%s', (_, text) => {
    expect(problemsOf(text)).toBe('');
  });

  test('what is left out keeps its default, key by key', () => {
    const policy = parsePolicy(
      withHeader('levels: { critical: { for: 20s } }\nsignal: { sample: 10s }'),
      'p',
    );
    expect(policy.levels.critical).toEqual({
      enterRatio: 0.8,
      exitRatio: 0.75,
      forMs: 20_000,
      keepMs: 60_000,
    });
    expect(policy.signal).toEqual({ sampleMs: 10_000, fastMs: 250, staleMs: 20_000, graceMs: 60_000 });
    expect(parsePolicy(withHeader('signal: { sample: 100ms }'), 'p').signal.fastMs).toBe(100);
    expect(parsePolicy(withHeader('ledger: { samples: { raw: 5y } }'), 'p').retention).toMatchObject({
      minuteMs: 5 * 31_536_000_000,
      hourMs: 5 * 31_536_000_000,
    });
  });

  test('the preset relaxed is the 80/95 of the other seed', () => {
    const { warning, critical, emergency } = parsePolicy(withHeader('levels: relaxed'), 'p').levels;
    expect([warning.enterRatio, critical.enterRatio, emergency.enterRatio]).toEqual([0.8, 0.95, 0.98]);
  });

  test('a byte-order mark, comments and CRLF do no harm', () => {
    expect(problemsOf(`\uFEFF# hello [ { \r\napiVersion: plimsoll/v1\r\nmode: enforce # "[["\r\n`)).toBe('');
  });

  test('names keep the text they are written in', () => {
    const policy = parsePolicy(accepted['odd names'] as string, 'p');
    expect(policy.budgets.agents.map(({ glob }) => glob.text).sort()).toEqual([
      '042',
      '__proto__',
      'constructor',
    ]);
  });

  test('a budget that something around it always undercuts is noted', () => {
    const policy = parsePolicy(
      withHeader(
        'budgets:\n  agents: { "*": { max: 64MiB }, big: { max: 96MiB, idle: 1m } }\n  sessions: { "*": { max: 128MiB }, s: { max: 8MiB } }\n  tools: { t: { max: 10% }, u: { idle: 1m } }',
      ),
      'p.yaml',
    );
    expect(policy.notes.map(({ text, place }) => `${place.line}: ${text}`)).toMatchInlineSnapshot(`
      [
        "4: sessions "*" may hold 128.0 MiB, but no agent more than 96.0 MiB: inside one of the agents the smaller number counts.",
      ]
    `);
    const percent = withHeader(
      'budgets: { agents: { "*": { max: 10% } }, sessions: { "*": { max: 1GiB } } }',
    );
    expect(parsePolicy(percent, 'p').notes).toEqual([]);
  });
});

describe('a policy that does not', () => {
  test.each(Object.entries(refused))('%s', (_, text) => {
    expect(problemsOf(text)).not.toBe('');
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
`),
    ).toMatchInlineSnapshot(`
      "PLM_POLICY_BAD_VALUE: "plimsoll/v2" is not accepted here; it has to be the version of this form: plimsoll/v1.
        at:  plimsoll.yaml:1:13  apiVersion
        fix: write plimsoll/v1.

      PLM_POLICY_BAD_VALUE: "enforced" is not accepted here; it has to be a mode: observe, shadow, enforce.
        at:  plimsoll.yaml:2:7  mode
        fix: write enforce.

      PLM_POLICY_UNKNOWN_KEY: "modee" is not a key of a policy.
        at:  plimsoll.yaml:3:1
        fix: rename it to "mode". Keys of a policy: apiVersion, revision, mode, limits, levels, signal, budgets, ladder, approvals, settle, guards, ledger, alerts, rollback, exempt.

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
        fix: rename it to "notify". Actions: signal.fast, notify, hint, timeouts.scale, keepers.shrink, cache.drop, replay.trim, conversation.compact, gc.request, session.park, delegation.clamp, admit.throttle, admit.refuse, evidence, scope.stop, process.restart.

      PLM_POLICY_UNKNOWN_ACTION: "cache.shrink" is not an action.
        at:  plimsoll.yaml:23:7  ladder.warning[1]
        fix: remove the rung. Actions: signal.fast, notify, hint, timeouts.scale, keepers.shrink, cache.drop, replay.trim, conversation.compact, gc.request, session.park, delegation.clamp, admit.throttle, admit.refuse, evidence, scope.stop, process.restart.

      PLM_POLICY_WRONG_KIND: there is a map with 2 keys here; it has to be a rung with one key, the action.
        at:  plimsoll.yaml:24:7  ladder.warning[2]
        fix: start a new "- " line for each action.

      PLM_POLICY_UNKNOWN_ACTION: "notify2" is not an action.
        at:  plimsoll.yaml:24:21  ladder.warning[2]
        fix: rename it to "notify". Actions: signal.fast, notify, hint, timeouts.scale, keepers.shrink, cache.drop, replay.trim, conversation.compact, gc.request, session.park, delegation.clamp, admit.throttle, admit.refuse, evidence, scope.stop, process.restart.

      PLM_POLICY_WRONG_KIND: there is a map with 0 keys here; it has to be a rung with one key, the action.
        at:  plimsoll.yaml:25:7  ladder.warning[3]
        fix: start a new "- " line for each action.

      PLM_POLICY_BAD_VALUE: 12 is not accepted here; it has to be a known action: signal.fast, notify, hint, timeouts.scale, keepers.shrink, cache.drop, replay.trim, conversation.compact, gc.request, session.park, delegation.clamp, admit.throttle, admit.refuse, evidence, scope.stop, process.restart.
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
        fix: rename it to "levels". Keys of a policy: apiVersion, revision, mode, limits, levels, signal, budgets, ladder, approvals, settle, guards, ledger, alerts, rollback, exempt."
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
