/** Policies that empty pages show; a test reads them with the real parser. */
export const ladderExample = `ladder:
  warning: [notify, keepers.shrink]
  critical: [session.park, admit.throttle]
  emergency: [admit.refuse, process.restart]`;

export const approvalExample = `approvals:
  on-call: { by: [owner, user:alice], ttl: 2m, on-expiry: skip }
ladder:
  critical: [keepers.shrink, scope.stop: { approval: on-call }]`;
