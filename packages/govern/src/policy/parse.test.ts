import { describe, expect, test } from 'vitest';
import { accepted, fullPolicy, problemsOf, withHeader } from './policy.fixture.ts';
import { parsePolicy } from './parse.ts';

describe('a policy that fits', () => {
  test('every key is read, and lands in the policy with bytes, ms and ratios', () => {
    const { budgets, ladder, exempt, sha256, notes, ...rest } = parsePolicy(fullPolicy, 'plimsoll.yaml');
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(notes).toEqual([]);
    expect(rest).toMatchInlineSnapshot(`
      {
        "adapters": {
          "ai": false,
          "http": true,
        },
        "admission": {
          "agents": 50,
          "cpuRatio": 0.9,
          "delegations": 20,
          "freeMemory": {
            "ratio": 0.1,
          },
          "runs": 100,
        },
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
        "sessions": {
          "checkpoints": undefined,
          "exportsIds": false,
          "from": [
            {
              "at": "header",
              "name": "x-session-id",
            },
            {
              "at": "path",
              "name": "/chat/:id",
            },
            {
              "at": "body",
              "name": "threadId",
            },
          ],
          "idleMs": 600000,
          "isIdleGiven": true,
          "most": 500,
          "mostEvents": undefined,
          "sendQueueBytes": undefined,
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
