import { describe, expect, test } from 'vitest';
import { parsePolicy } from './parse.ts';
import { fullPolicy, problemsOf, withHeader } from './policy.fixture.ts';
import { formatRate } from './form/span.ts';

const notes = (text: string): string[] =>
  parsePolicy(withHeader(text), 'plimsoll.yaml').notes.map((note) => `${note.place.line}: ${note.text}`);

describe('a ladder that would hurt is refused', () => {
  test('work ended before anything freed memory', () => {
    expect(problemsOf(withHeader('ladder:\n  warning: [ scope.stop ]\n  critical: [ keepers.shrink ]')))
      .toMatchInlineSnapshot(`
        "PLM_POLICY_LADDER: "scope.stop" ends work before anything was tried that frees memory.
          at:  plimsoll.yaml:3:14  ladder.warning[0]
          fix: put a rung such as keepers.shrink or session.park before it."
      `);
    expect(problemsOf(withHeader('ladder: { warning: [ keepers.shrink ], critical: [ scope.stop ] }'))).toBe(
      '',
    );
  });

  test('work refused with nothing that frees any', () => {
    expect(problemsOf(withHeader('ladder: { critical: [ admit.throttle ], emergency: [ admit.refuse ] }')))
      .toMatchInlineSnapshot(`
      "PLM_POLICY_LADDER: "admit.throttle" refuses work and nothing in the ladder frees memory: it would refuse for ever.
        at:  plimsoll.yaml:2:23  ladder.critical[0]
        fix: add a rung that frees, such as keepers.shrink, session.park or gc.request.

      PLM_POLICY_LADDER: "admit.refuse" refuses work and nothing in the ladder frees memory: it would refuse for ever.
        at:  plimsoll.yaml:2:54  ladder.emergency[0]
        fix: add a rung that frees, such as keepers.shrink, session.park or gc.request."
    `);
    expect(
      problemsOf(withHeader('ladder: { critical: [ admit.throttle ], emergency: [ gc.request ] }')),
    ).toBe('');
  });

  test('a restart below emergency, and a clamp of nothing', () => {
    expect(
      problemsOf(
        withHeader(
          'ladder:\n  critical: [ keepers.shrink, process.restart, delegation.clamp: { mode: enforce } ]',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "PLM_POLICY_LADDER: "process.restart" stands under critical.
        at:  plimsoll.yaml:3:31  ladder.critical[1]
        fix: move it to the end of "emergency": it is for when nothing else helped.

      PLM_POLICY_LADDER: "delegation.clamp" clamps nothing.
        at:  plimsoll.yaml:3:48  ladder.critical[2]
        fix: give it at least one of depth, fan-out, concurrency."
    `);
  });
});

describe('a ladder that is probably not meant is noted', () => {
  test('refusing without a way out, and a target that the level never reaches', () => {
    expect(
      notes(
        'ladder:\n  warning:\n    - session.park: { until: 70% }\n  critical:\n    - session.park: { until: 60% }\n    - admit.refuse',
      ),
    ).toMatchInlineSnapshot(`
      [
        "7: work is refused at this rung, and there is no process.restart: when nothing frees memory, a person has to end it.",
        "4: sessions are parked until 70 %, but warning ends only below 55 %.",
      ]
    `);
  });
});

test('options reach the rung: what all actions share beside what is their own', () => {
  const { ladder, settle, guards } = parsePolicy(fullPolicy, 'plimsoll.yaml');
  expect(ladder.emergency.slice(1)).toMatchInlineSnapshot(`
    [
      {
        "action": "evidence",
        "options": {
          "snapshot": "if-it-fits",
        },
        "place": {
          "column": 7,
          "file": "plimsoll.yaml",
          "line": 45,
        },
        "timeoutMs": 5000,
      },
      {
        "action": "admit.refuse",
        "options": {
          "except": [
            "tool",
            "billing",
          ],
          "only": "normal",
          "retry-after": {
            "max": 20000,
            "min": 5000,
          },
        },
        "place": {
          "column": 7,
          "file": "plimsoll.yaml",
          "line": 46,
        },
      },
      {
        "action": "scope.stop",
        "approval": "operator",
        "options": {
          "at-least": 0.05,
          "kinds": [
            "session",
            "run",
          ],
          "max": 3,
          "pick": "least-waste",
        },
        "place": {
          "column": 7,
          "file": "plimsoll.yaml",
          "line": 47,
        },
      },
      {
        "action": "process.restart",
        "options": {
          "after": 120000,
          "at-most": {
            "count": 3,
            "perMs": 3600000,
          },
          "drain": 30000,
          "jitter": 60000,
        },
        "place": {
          "column": 7,
          "file": "plimsoll.yaml",
          "line": 48,
        },
      },
    ]
  `);
  expect(ladder.critical[1]).toMatchObject({ action: 'cache.drop', timeoutMs: 5000 });
  expect(ladder.warning[2]).toMatchObject({ action: 'hint', cooldownMs: 60_000 });
  expect({ settle, guards }).toMatchInlineSnapshot(`
    {
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
      "settle": {
        "againMs": 30000,
        "atMostMs": 15000,
        "minFreedRatio": 0.05,
        "wait": "next-major-gc",
      },
    }
  `);
});

test('a misspelt action is named with the nearest one', () => {
  expect(problemsOf(withHeader('ladder: { critical: [ session.prak ] }'))).toContain('session.park');
});

test('rates read as they are written', () => {
  expect(formatRate({ count: 3, perMs: 3_600_000 })).toBe('3/h');
  expect(formatRate({ count: 3, perMs: 90_000 })).toBe('3 per 1 m 30 s');
});
