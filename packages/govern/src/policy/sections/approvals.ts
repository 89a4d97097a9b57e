import type { DocumentReader } from '../form/document-reader.ts';
import type { Place } from '../form/place.ts';
import type { Mode } from '@plimsoll/core/internal/level';
import { duration, whole, word } from '../form/quantity.ts';
import type { Leaf, ValueOf } from '../form/shape.ts';
import { list, named, optional, required, table } from '../form/shape.ts';

const second = 1000;
const day = 86_400_000;
const defaultPendingMax = 32;
const modes = ['observe', 'shadow', 'enforce'] as const satisfies readonly Mode[];

/** The decision when nobody answers. `skip`: the action does not run. `deny`: the waiting request is refused. `proceed`: it runs. */
export type OnExpiry = 'skip' | 'deny' | 'proceed';

/** Who may approve, until when, and the decision when nobody answers. */
export interface ApprovalRule {
  readonly name: string;
  /** `owner`, `user:NAME`, `agent:NAME` or `group:NAME`. */
  readonly by: readonly string[];
  /** Number of different approvers that have to agree. One denial is enough to deny. */
  readonly quorum: number;
  readonly ttlMs: number;
  readonly onExpiry: OnExpiry;
  /** At this level the policy itself approves an action of the ladder, and a review ticket is opened. */
  readonly breakGlass: 'emergency' | 'never';
  /** Most open tickets of this entry. */
  readonly pendingMax: number;
  readonly mode?: Mode | undefined;
  readonly place: Place;
}

/** The approvals of a policy, and the requests that need one. */
export interface ApprovalPolicy {
  readonly rules: Readonly<Record<string, ApprovalRule>>;
  /** Delegations deeper than this need an approval of that entry. */
  readonly delegation?: { readonly approval: string; readonly deeperThan: number } | undefined;
  /** Operations that the program calls critical. From this level of the process on, every operation needs an approval. */
  readonly operations?:
    | { readonly approval: string; readonly from: 'warning' | 'critical' | 'emergency' }
    | undefined;
}

const place: Place = { file: 'built-in', line: 0, column: 0 };

/**
 * The approvals of a policy without `approvals`: every delegation deeper than 4 and every critical memory operation waits for the owner.
 */
export const approvalDefaults: ApprovalPolicy = {
  rules: {
    operator: {
      name: 'operator',
      by: ['owner'],
      quorum: 1,
      ttlMs: 120_000,
      onExpiry: 'deny',
      breakGlass: 'never',
      pendingMax: defaultPendingMax,
      place,
    },
  },
  delegation: { approval: 'operator', deeperThan: 4 },
  operations: { approval: 'operator', from: 'critical' },
};

const approver: Leaf<string> = {
  kind: 'leaf',
  accepted: 'owner, or a user, an agent or a group such as group:sre',
  example: 'group:sre',
  read: (value) =>
    typeof value === 'string' && /^(?:owner|(?:user|agent|group):[^\s:]{1,100})$/.test(value)
      ? value
      : undefined,
  json: { type: 'string', pattern: String.raw`^(owner|(user|agent|group):[^\s:]{1,100})$` },
};

const subjects = table('what needs the approval', {
  delegation: optional(
    table('the delegations', {
      'deeper-than': required(whole('a depth', '4', 1, 1000), 'A delegation deeper than this waits.'),
    }),
    'Delegations between agents, by their depth.',
  ),
  operations: optional(
    table('the operations', {
      from: required(
        word('a level', ['warning', 'critical', 'emergency'] as const),
        'From this level of the process on every operation waits. An operation that the program calls critical always waits.',
      ),
    }),
    'Memory operations the program asks for with approval("operation", ...).',
  ),
});

/** The section `approvals` of a policy. */
export const approvalsSection = named(
  'approvals',
  table('an approval', {
    by: required(
      list('a list of approvers', approver),
      'Who may decide: owner (the user that runs the process, through its socket), user:NAME, agent:NAME, group:NAME.',
    ),
    quorum: optional(
      whole('a number of approvers', '2', 1, 16),
      'Number of different approvers that have to agree. One denial is enough to deny. Default 1.',
    ),
    self: optional(
      word('the only rule there is', ['forbid'] as const),
      'The requester may not approve. This is always true; the key only documents it.',
    ),
    ttl: required(duration('2m', second, day), 'How long a ticket is open.'),
    'on-expiry': required(
      word('the decision without an answer', ['skip', 'deny', 'proceed'] as const),
      'skip: the action does not run. deny: the waiting request is refused. proceed: it runs, only for actions that end no work.',
    ),
    'break-glass': optional(
      word('a level', ['emergency', 'never'] as const),
      'emergency: at that level the policy lets the action run and opens a review ticket. Default never.',
    ),
    'pending-max': optional(
      whole('a number of tickets', '32', 1, 1000),
      `Most open tickets; more are refused. Default ${defaultPendingMax}.`,
    ),
    mode: optional(
      word('a mode', modes),
      'Mode of requests that wait for this approval, instead of the mode of the policy.',
    ),
    for: optional(
      subjects,
      'Requests that wait for this approval in addition to the rungs of the ladder that name it.',
    ),
  }),
);

export type GivenApprovals = ValueOf<typeof approvalsSection>;

/**
 * The approvals of a document. The built-in entry `operator` stays unless the document has an entry of that name. A document's own entry
 * for delegations or operations replaces it for those.
 */
export function approvalPolicyOf(given: GivenApprovals | undefined, reader: DocumentReader): ApprovalPolicy {
  const rules: Record<string, ApprovalRule> = Object.create(null) as Record<string, ApprovalRule>;
  Object.assign(rules, approvalDefaults.rules);
  const isReplaced = given !== undefined && Object.hasOwn(given, 'operator');
  let { delegation, operations } = isReplaced ? {} : approvalDefaults;
  for (const [name, each] of Object.entries(given ?? {})) {
    rules[name] = {
      name,
      by: each.by,
      quorum: each.quorum ?? 1,
      ttlMs: each.ttl,
      onExpiry: each['on-expiry'],
      breakGlass: each['break-glass'] ?? 'never',
      pendingMax: each['pending-max'] ?? defaultPendingMax,
      mode: each.mode,
      place: reader.placeOf(['approvals', name]),
    };
    if (each.for?.delegation !== undefined)
      delegation = { approval: name, deeperThan: each.for.delegation['deeper-than'] };
    if (each.for?.operations !== undefined) operations = { approval: name, from: each.for.operations.from };
  }
  return { rules, delegation, operations };
}
