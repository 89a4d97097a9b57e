import { describe, expect, test } from 'vitest';
import { budgetFor } from './budget.ts';
import { builtInPolicy } from './built-in.ts';
import { explain } from './explain.ts';
import { parsePolicy } from './parse.ts';
import { formatKeyPath, formatLine, formatPlace } from './form/place.ts';
import { fullPolicy, withHeader } from './policy.fixture.ts';
import { formatPercent, parsePercent } from './form/quantity.ts';

const MiB = 1024 ** 2;
const full = parsePolicy(fullPolicy, 'plimsoll.yaml');
const maxOf = (path: string, limit?: number): number | undefined => budgetFor(full, path, limit)?.maxBytes;

describe('budgetFor', () => {
  test('the most specific rule of the innermost scope, never more than what is around it', () => {
    expect((maxOf('process/session:42') as number) / MiB).toBe(8);
    expect((maxOf('process/agent:planner') as number) / MiB).toBe(64);
    expect((maxOf('process/agent:research-1') as number) / MiB).toBe(150);
    expect((maxOf('process/session:42/agent:research-1') as number) / MiB).toBe(8);
    expect((maxOf('process/service:messaging/agent:x/session:y/stage:rag') as number) / MiB).toBe(4);
  });

  test('a scope without a rule is held by what is around it, and the process by its limit', () => {
    expect(budgetFor(full, 'process/agent:a/thing:b')).toMatchObject({
      maxBytes: 64 * MiB,
      binding: { of: 'agent:a' },
    });
    expect(budgetFor(full, 'process').maxBytes).toBeUndefined();
    expect(budgetFor(full, 'process', 100 * MiB).maxBytes).toBe(68 * MiB);
  });

  test('percentages need the limit', () => {
    expect(maxOf('process/run:1')).toBeUndefined();
    expect(maxOf('process/run:1', 500 * MiB)).toBe(50 * MiB);
  });

  test('priority and idle come from the nearest scope that sets them, rule by rule', () => {
    expect(budgetFor(full, 'agent:research-1/session:1')).toMatchObject({
      priority: 'sheddable',
      idleMs: 900_000,
    });
    expect(budgetFor(full, 'agent:research-1')).toMatchObject({ priority: 'sheddable', idleMs: 300_000 });
    expect(budgetFor(builtInPolicy, 'agent:research-1')).toMatchObject({ priority: 'normal' });
  });

  test('names match as they are, not as a path spells them', () => {
    const policy = parsePolicy(
      withHeader('budgets: { sessions: { "a/b": { max: 1MiB }, "c\\u202e": { max: 2MiB } } }'),
      'p',
    );
    expect(budgetFor(policy, 'process/session:a%2Fb')).toMatchObject({
      maxBytes: MiB,
      path: 'process/session:a%2Fb',
    });
    expect(budgetFor(policy, 'session:c%u202E').maxBytes).toBe(2 * MiB);
    expect(budgetFor(policy, 'session:100%').path).toBe('process/session:100%25');
  });

  test('a path that cannot be read says how one looks', () => {
    expect(() => budgetFor(full, 'process/planner')).toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: "planner" is not a step of a scope path; a step is kind:name.]`,
    );
    expect(() => budgetFor(full, 'agent:')).toThrow('kind:name');
    expect(() => budgetFor(full, 'process//x:y')).toThrow('kind:name');
  });
});

describe('explain', () => {
  test('its own rule, and why the others gave nothing', () => {
    expect(explain(full, 'process/agent:research-1/session:42', 512 * MiB)).toMatchInlineSnapshot(
      {
        policy: { sha256: expect.any(String) },
      },
      `
      {
        "mode": "shadow",
        "path": "process/agent:research-1/session:42",
        "policy": {
          "file": "plimsoll.yaml",
          "revision": 14,
          "sha256": Any<String>,
        },
        "unused": [],
        "values": [
          {
            "bytes": 8388608,
            "from": "sessions "*" (plimsoll.yaml:23)",
            "key": "max",
            "value": "8.0 MiB",
          },
          {
            "from": "agents "research-*" (plimsoll.yaml:21)",
            "key": "priority",
            "value": "sheddable",
          },
          {
            "from": "sessions "*" (plimsoll.yaml:23)",
            "key": "idle",
            "value": "15 m",
          },
        ],
      }
    `,
    );
  });

  test('each way a number comes about', () => {
    const cases = [
      ['tightened from around', 'session:1/agent:research-2', undefined],
      ['no rule of its own, inside something', 'agent:a/thing:b', undefined],
      ['no rule at all', 'thing:b', 512 * MiB],
      ['no rule and no limit', 'thing:b', undefined],
      ['a percentage without a limit', 'run:1', undefined],
      ['exempt', 'service:billing/session:2', undefined],
    ] as const;
    const lines = cases.map(([name, path, limit]) => {
      const values = explain(full, path, limit).values.map(({ key, value, from, why }) =>
        [key, value, from, why].join(' | '),
      );
      // Where the exemption stands moves with every key that the policy of all keys gets.
      return [`${name}:`, ...values].join('\n').replace(/(exempt .*):\d+\)/, '$1:N)');
    });
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "tightened from around:
      max | 8.0 MiB | sessions "*" (plimsoll.yaml:23) | its own rule says 150.0 MiB (plimsoll.yaml:21); session:1 around it is lower
      priority | sheddable | agents "research-*" (plimsoll.yaml:21) | 
      idle | 5 m | agents "*" (plimsoll.yaml:20) | 
      no rule of its own, inside something:
      max | 64.0 MiB | agents "*" (plimsoll.yaml:20) | no rule of its own; bounded by agent:a
      priority | normal | built-in | 
      idle | 5 m | agents "*" (plimsoll.yaml:20) | 
      no rule at all:
      max | 480.0 MiB | global (plimsoll.yaml:15) | no rule of its own; bounded by the process, less the reserve of 32.0 MiB
      priority | normal | built-in | 
      idle | never | built-in | 
      no rule and no limit:
      max | 100 % of the true limit | global (plimsoll.yaml:15) | no rule of its own; bounded by the process, less the reserve of 32.0 MiB
      priority | normal | built-in | 
      idle | never | built-in | 
      a percentage without a limit:
      max | 10 % of the true limit | runs "*" (plimsoll.yaml:24) | 
      priority | normal | built-in | 
      idle | never | built-in | 
      exempt:
      max | 8.0 MiB | sessions "*" (plimsoll.yaml:23) | 
      priority | normal | built-in | 
      idle | 15 m | sessions "*" (plimsoll.yaml:23) | 
      exempt | no level, no action | exempt "service:billing" (plimsoll.yaml:N) | "
    `);
  });

  test('rules that set nothing and the built-in policy', () => {
    const policy = parsePolicy(withHeader('budgets: { tools: { "*": { }, "a*": { } } }'), 'p.yaml');
    expect(explain(policy, 'tool:abc').unused).toMatchInlineSnapshot(`
      [
        {
          "place": "p.yaml:2",
          "rule": "tools "a*"",
          "why": "sets nothing",
        },
        {
          "place": "p.yaml:2",
          "rule": "tools "*"",
          "why": "sets nothing",
        },
      ]
    `);
    expect(explain(builtInPolicy, 'tool:abc', 10 * MiB).values).toMatchInlineSnapshot(`
      [
        {
          "bytes": 10485760,
          "from": "built-in",
          "key": "max",
          "value": "10.0 MiB",
          "why": "no rule of its own; bounded by the process",
        },
        {
          "from": "built-in",
          "key": "priority",
          "value": "normal",
        },
        {
          "from": "built-in",
          "key": "idle",
          "value": "never",
        },
      ]
    `);
  });
});

test('places and key paths read as people write them', () => {
  expect(formatPlace({ file: 'f', line: 0, column: 0 })).toBe('f');
  expect(formatLine({ file: 'f', line: 3, column: 9 })).toBe('f:3');
  expect(formatKeyPath(['budgets', 'agents', 'research-*', 'max'])).toBe('budgets.agents."research-*".max');
  expect(formatKeyPath(['ladder', 'warning', 0])).toBe('ladder.warning[0]');
  expect([parsePercent('62.5 %'), parsePercent('62.5'), formatPercent(0.625)]).toEqual([
    0.625,
    undefined,
    '62.5 %',
  ]);
});
