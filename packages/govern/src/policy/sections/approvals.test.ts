import { expect, test } from 'vitest';
import { parsePolicy } from '../parse.ts';
import { problemsOf, withHeader } from '../policy.fixture.ts';

const policyOf = (text: string): ReturnType<typeof parsePolicy>['approvals'] =>
  parsePolicy(withHeader(text), 'plimsoll.yaml').approvals;

test('without the section delegations deeper than 4 and critical operations wait for the owner', () => {
  const { rules, delegation, operations } = policyOf('mode: enforce');
  expect(Object.keys(rules)).toEqual(['operator']);
  expect(rules['operator']).toMatchObject({ by: ['owner'], onExpiry: 'deny', ttlMs: 120_000, quorum: 1 });
  expect({ delegation, operations }).toEqual({
    delegation: { approval: 'operator', deeperThan: 4 },
    operations: { approval: 'operator', from: 'critical' },
  });
});

test('every key lands in the policy, and an entry takes over what it claims', () => {
  const { rules, delegation, operations } = policyOf(`
approvals:
  ops: { by: [ "group:sre", "agent:captain" ], quorum: 2, self: forbid, ttl: 5m, on-expiry: skip, break-glass: emergency, pending-max: 8, mode: shadow }
  deep: { by: [ owner ], ttl: 1m, on-expiry: deny, for: { delegation: { deeper-than: 2 } } }`);
  expect(rules['ops']).toMatchObject({
    name: 'ops',
    by: ['group:sre', 'agent:captain'],
    quorum: 2,
    ttlMs: 300_000,
    onExpiry: 'skip',
    breakGlass: 'emergency',
    pendingMax: 8,
    mode: 'shadow',
    place: { line: 4 },
  });
  expect(rules['deep']).toMatchObject({ quorum: 1, breakGlass: 'never', pendingMax: 32, mode: undefined });
  expect(delegation).toEqual({ approval: 'deep', deeperThan: 2 });
  expect(operations).toEqual({ approval: 'operator', from: 'critical' });
});

test('an entry called operator replaces the built-in one with all it claims', () => {
  const { rules, delegation, operations } = policyOf(
    'approvals: { operator: { by: [ owner ], ttl: 1m, on-expiry: deny, for: { operations: { from: warning } } } }',
  );
  expect(rules['operator']?.ttlMs).toBe(60_000);
  expect({ delegation, operations }).toEqual({
    delegation: undefined,
    operations: { approval: 'operator', from: 'warning' },
  });
});

test('deadline and what no answer means have no default', () => {
  expect(problemsOf(withHeader('approvals: { ops: { by: [ owner ] } }'))).toMatchInlineSnapshot(`
    "PLM_POLICY_MISSING_KEY: an approval needs the key "ttl".
      at:  plimsoll.yaml:2:19  approvals.ops
      fix: add "ttl: 2m".

    PLM_POLICY_MISSING_KEY: an approval needs the key "on-expiry".
      at:  plimsoll.yaml:2:19  approvals.ops
      fix: add "on-expiry: skip"."
  `);
});

test('approvers, numbers and words that cannot be meant', () => {
  expect(
    problemsOf(
      withHeader(`approvals:
  ops: { by: [ sre ], quorum: 0, self: allow, ttl: 120, on-expiry: run, break-glass: critical, pending-max: 5000 }`),
    ),
  ).toMatchInlineSnapshot(`
    "PLM_POLICY_BAD_VALUE: "sre" is not accepted here; it has to be owner, or a user, an agent or a group such as group:sre.
      at:  plimsoll.yaml:3:16  approvals.ops.by[0]
      fix: write group:sre.

    PLM_POLICY_BAD_VALUE: 0 is not accepted here; it has to be a number of approvers from 1 to 16, such as 2.
      at:  plimsoll.yaml:3:31  approvals.ops.quorum
      fix: write 2.

    PLM_POLICY_BAD_VALUE: "allow" is not accepted here; it has to be the only rule there is: forbid.
      at:  plimsoll.yaml:3:40  approvals.ops.self
      fix: write forbid.

    PLM_POLICY_NO_UNIT: 120 has no unit.
      at:  plimsoll.yaml:3:52  approvals.ops.ttl
      fix: write the unit you mean, such as 120s.

    PLM_POLICY_BAD_VALUE: "run" is not accepted here; it has to be the decision without an answer: skip, deny, proceed.
      at:  plimsoll.yaml:3:68  approvals.ops.on-expiry
      fix: write skip.

    PLM_POLICY_BAD_VALUE: "critical" is not accepted here; it has to be a level: emergency, never.
      at:  plimsoll.yaml:3:86  approvals.ops.break-glass
      fix: write emergency.

    PLM_POLICY_BAD_VALUE: 5000 is not accepted here; it has to be a number of tickets from 1 to 1000, such as 32.
      at:  plimsoll.yaml:3:109  approvals.ops.pending-max
      fix: write 32."
  `);
});

test('approvers that are no list are refused once', () => {
  expect(problemsOf(withHeader('approvals: { ops: { by: owner, ttl: 1m, on-expiry: deny }, none: }')))
    .toMatchInlineSnapshot(`
    "PLM_POLICY_WRONG_KIND: there is the value "owner" here; it has to be a list of approvers.
      at:  plimsoll.yaml:2:25  approvals.ops.by
      fix: start each item with "- ".

    PLM_POLICY_MISSING_KEY: an approval needs the key "by".
      at:  plimsoll.yaml:2:66  approvals.none
      fix: add "by: ...".

    PLM_POLICY_MISSING_KEY: an approval needs the key "ttl".
      at:  plimsoll.yaml:2:66  approvals.none
      fix: add "ttl: 2m".

    PLM_POLICY_MISSING_KEY: an approval needs the key "on-expiry".
      at:  plimsoll.yaml:2:66  approvals.none
      fix: add "on-expiry: skip"."
  `);
});

test('rules that join several keys', () => {
  expect(
    problemsOf(
      withHeader(`ladder:
  critical:
    - session.park
    - scope.stop: { approval: opps }
    - scope.stop: { approval: silent }
    - session.park: { approval: silent }
    - scope.stop: { approval: operator }
approvals:
  silent: { by: [ "group:sre" ], ttl: 1m, on-expiry: proceed }
  alone: { by: [ "user:ada", "user:Ada" ], quorum: 2, ttl: 1m, on-expiry: deny }
  nobody: { by: [ ], ttl: 1m, on-expiry: deny }
  first: { by: [ owner ], ttl: 1m, on-expiry: deny, for: { delegation: { deeper-than: 3 } } }
  second: { by: [ owner ], ttl: 1m, on-expiry: proceed, for: { delegation: { deeper-than: 4 } } }`),
    ),
  ).toMatchInlineSnapshot(`
    "PLM_POLICY_APPROVAL_UNKNOWN: "scope.stop" waits for the approval "opps", which does not exist.
      at:  plimsoll.yaml:5:7  ladder.critical[1]
      fix: use one of silent, alone, nobody, first, second, operator, or add it to "approvals".

    PLM_POLICY_APPROVAL_SILENCE: without an answer, "silent" would allow "scope.stop", which ends work.
      at:  plimsoll.yaml:6:7  ladder.critical[2]
      fix: set "on-expiry" to skip or deny.

    PLM_POLICY_APPROVAL_QUORUM: "alone" needs 2 approvers and only 1 may decide it.
      at:  plimsoll.yaml:11:52  approvals.alone.quorum
      fix: add approvers or a group to "by", or lower "quorum".

    PLM_POLICY_APPROVAL_QUORUM: nobody may decide "nobody": "by" is empty.
      at:  plimsoll.yaml:12:17  approvals.nobody.by
      fix: add approvers or a group to "by", or lower "quorum".

    PLM_POLICY_APPROVAL_SILENCE: without an answer, "second" would allow what "second" holds.
      at:  plimsoll.yaml:14:48  approvals.second.on-expiry
      fix: set "on-expiry" to skip or deny.

    PLM_POLICY_APPROVAL_TIE: "first" and "second" both claim "delegation".
      at:  plimsoll.yaml:14:76  approvals.second.for.delegation
      fix: leave it to one of them."
  `);
});
