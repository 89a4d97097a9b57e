import { expect, test } from 'vitest';
import { checkPolicy } from '../parse.ts';
import { problemsOf, withHeader } from '../policy.fixture.ts';
import { rollbackDefaults } from './rollback.ts';

test('what is left out keeps its default', () => {
  const { policy } = checkPolicy(
    withHeader('rollback: { growth: 50MiB, blocked: { for: 2m } }'),
    'plimsoll.yaml',
  );
  expect(policy?.rollback).toEqual({
    ...rollbackDefaults,
    growthBytes: 50 * 1024 ** 2,
    blockedForMs: 120_000,
  });
  expect(checkPolicy(withHeader(''), 'plimsoll.yaml').policy?.rollback).toEqual(rollbackDefaults);
});

test('every fault is named with its place', () => {
  expect(
    problemsOf(
      withHeader(`rollback:
  to: yesterday
  growth: 20
  gc-effectiveness: 0.7
  blocked: { for: 1s, portion: 10% }
`),
    ),
  ).toMatchInlineSnapshot(`
    "PLM_POLICY_BAD_VALUE: "yesterday" is not accepted here; it has to be the replacement: last-good, shadow, never.
      at:  plimsoll.yaml:3:7  rollback.to
      fix: write last-good.

    PLM_POLICY_NO_UNIT: 20 has no unit.
      at:  plimsoll.yaml:4:11  rollback.growth
      fix: write the unit you mean, such as 20MiB.

    PLM_POLICY_NO_UNIT: 0.7 has no unit.
      at:  plimsoll.yaml:5:21  rollback.gc-effectiveness
      fix: write the unit you mean, such as 0.7%.

    PLM_POLICY_BAD_VALUE: "1s" is not accepted here; it has to be a duration from 10 s to 1 d with a unit, such as 5m.
      at:  plimsoll.yaml:6:19  rollback.blocked.for
      fix: write 5m.

    PLM_POLICY_UNKNOWN_KEY: "portion" is not a key of the blocked trigger.
      at:  plimsoll.yaml:6:23  rollback.blocked
      fix: remove it. Keys of the blocked trigger: share, for."
  `);
});

test('a second rollback may not come before the first one is judged', () => {
  expect(problemsOf(withHeader('rollback: { cooldown: 2m }'))).toMatchInlineSnapshot(`
    "PLM_POLICY_ORDER: "cooldown" is 2 m and "blocked.for" is 5 m; a second rollback could come before the first one is judged.
      at:  plimsoll.yaml:2:23  rollback.cooldown
      fix: raise "cooldown" to 5 m or more."
  `);
  expect(problemsOf(withHeader('rollback: { blocked: { for: 2h } }'))).toContain('plimsoll.yaml:2:22');
});
