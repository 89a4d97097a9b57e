import { checkPolicy } from './parse.ts';

/** A policy that uses every key. */
export const fullPolicy = `# every key
apiVersion: plimsoll/v1
revision: 14
mode: shadow
limits:
  heap: { usable: 75% }
  rss: { max: 2GiB }
  native: { max: 512MiB }
levels:
  warning: { enter: 60%, exit: 55%, for: 30s, keep: 60s }
  critical: { enter: 80%, exit: 75%, for: 10s, keep: 60s }
  emergency: { enter: 95%, exit: 90%, for: 2s, keep: 60s }
signal: { sample: 1s, fast: 250ms, stale: 15s, grace: 60s }
budgets:
  global: { max: 100%, reserve: 32MiB }
  services:
    vector-store: { max: 200MiB, priority: critical }
    messaging: { max: 100MiB }
  agents:
    "*": { max: 64MiB, idle: 5m }
    research-*: { max: 150MiB, priority: sheddable }
  sessions:
    "*": { max: 8MiB, idle: 15m }
  runs: { "*": { max: 10% } }
  stages: { rag: { max: 4MiB } }
  tools: { "*": { max: 2MiB } }
ladder:
  warning:
    - notify
    - signal.fast: { for: 30s }
    - hint: { cooldown: 1m }
    - timeouts.scale: { floor: 20% }
    - keepers.shrink: { to: 70%, kinds: [ pool, cache ], mode: enforce }
  critical:
    - notify: { mode: enforce }
    - cache.drop: { kinds: [ cache ], timeout: 5s }
    - replay.trim: { to: 10% }
    - conversation.compact: { keep-last: 40 }
    - gc.request: { every: 30s }
    - session.park: { order: idle-x-size, until: 70%, batch: 50 }
    - delegation.clamp: { depth: 2, fan-out: 3, concurrency: 8 }
    - admit.throttle: { scaled: 80%..95%, only: sheddable, retry-after: 2s..9s }
  emergency:
    - notify:
    - evidence: { snapshot: if-it-fits, timeout: 5s }
    - admit.refuse: { only: normal, except: [ tool, billing ], retry-after: 5s..20s }
    - scope.stop: { pick: least-waste, max: 3, at-least: 5%, kinds: [ session, run ], approval: operator }
    - process.restart: { after: 120s, drain: 30s, jitter: 60s, at-most: 3/h }
approvals:
  ops: { by: [ "group:sre", "agent:captain" ], quorum: 2, self: forbid, ttl: 2m, on-expiry: skip, break-glass: emergency, pending-max: 32, mode: enforce }
  deep: { by: [ owner ], ttl: 10m, on-expiry: deny, for: { delegation: { deeper-than: 4 }, operations: { from: critical } } }
settle: { wait: next-major-gc, at-most: 15s, min-freed: 5%, again: 30s }
guards: { destructive: { rate: 10/m, share-of-work: 10% }, self-disable: { shed-share: 50%, for: 5m } }
ledger: { samples: { raw: 7d, 1m: 90d, 1h: 2y }, max-size: 1GiB }
rollback:
  to: last-good
  growth: 20MiB
  gc-effectiveness: 70%
  unresponsive: { delay: 1s, for: 30s }
  blocked: { share: 50%, for: 5m }
  good-after: 10m
  cooldown: 1h
alerts:
  service: checkout
  group-by: [ service, level ]
  group-wait: 30s
  urgent-wait: 1s
  group-interval: 5m
  repeat: 4h
  inhibit: [ { source: emergency, target: [ critical, warning ], equal: [ service, pod ] } ]
  recipients:
    ops: { kind: webhook, url: "https://alerts.example.com/hook", secret: { env: OPS_SECRET }, timeout: 5s, attempts: 5, allow-private: false }
    chat: { kind: slack, url: { env: SLACK_URL } }
    prometheus: { kind: alertmanager, url: "http://alertmanager:9093", token: { file: /run/secrets/am }, resend: 1m, allow-private: true }
    captain: { kind: a2a, url: "https://captain.example.com", token: { env: CAPTAIN_TOKEN } }
    coordinator: { kind: a2a, url: "https://coordinator.example.com" }
  routes:
    warning: [ log, coordinator ]
    critical: [ ops, prometheus, captain, coordinator ]
    emergency: [ ops, chat, prometheus, captain, coordinator ]
  a2a-server: { port: 7434, host: 127.0.0.1, url: "https://memory.example.com" }
sessions: { from: [header:X-Session-Id, 'path:/chat/:id', body:threadId], idle: 10m, most: 500 }
adapters: { ai: off, http: on }
exempt: { scopes: [ "service:billing" ] }
admission: { runs: 100, agents: 50, delegations: 20, free-memory: 10%, cpu: 90% }
`;

/** The text with the header every policy needs. */
export function withHeader(text: string): string {
  return `apiVersion: plimsoll/v1\n${text}`;
}

/** Every problem of a text as the user reads it. */
export function problemsOf(text: string): string {
  return checkPolicy(text, 'plimsoll.yaml').problems.map(String).join('\n\n');
}

/** Texts that the loader and the JSON Schema must both accept. */
export const accepted: Readonly<Record<string, string>> = {
  full: fullPolicy,
  smallest: 'apiVersion: plimsoll/v1',
  'preset relaxed': withHeader('levels: relaxed'),
  'empty sections': withHeader('budgets:\nladder:\nlimits:\n  heap:\nexempt:\n  scopes:'),
  'one line of one level': withHeader('levels: { critical: { for: 20s } }'),
  'spaces before units': withHeader('budgets: { agents: { "*": { max: 1.5 GiB } } }'),
  'percent budget': withHeader('budgets: { agents: { "*": { max: 12.5% } } }'),
  'odd names': withHeader(
    'budgets: { agents: { "__proto__": { max: 1MiB }, constructor: { max: 2MiB }, 042: { max: 3MiB } } }',
  ),
  'rates and spans with spaces': withHeader(
    'ladder: { critical: [ keepers.shrink, admit.throttle: { scaled: "80 % .. 95 %", retry-after: 1s .. 2m } ] }\nguards: { destructive: { rate: " 5 / h " } }',
  ),
  'anchor and alias': withHeader('budgets:\n  agents:\n    a: &small { max: 1MiB }\n    b: *small'),
};

export const refused: Readonly<Record<string, string>> = {
  empty: '',
  'a list': '- a',
  'no version': 'mode: observe',
  'wrong version': 'apiVersion: plimsoll/v9',
  'unknown key': withHeader('modee: observe'),
  'unknown mode': withHeader('mode: enforced'),
  'mode as a list': withHeader('mode: [observe]'),
  'revision with a fraction': withHeader('revision: 1.5'),
  'revision below zero': withHeader('revision: -1'),
  'size without a unit': withHeader('budgets: { agents: { "*": { max: 64 } } }'),
  'size of nothing': withHeader('budgets: { agents: { "*": { max: 0MiB } } }'),
  'size with a wrong unit': withHeader('budgets: { agents: { "*": { max: 64M } } }'),
  'percentage without a sign': withHeader('levels: { warning: { enter: 60 } }'),
  'percentage above 100': withHeader('levels: { warning: { enter: 160% } }'),
  'percentage of nothing': withHeader('levels: { warning: { enter: 0% } }'),
  'duration without a unit': withHeader('signal: { sample: 1 }'),
  'duration with a wrong unit': withHeader('signal: { sample: 1 week }'),
  'unknown preset': withHeader('levels: relax'),
  'unknown level': withHeader('levels: { severe: { enter: 60% } }'),
  'budget as a list': withHeader('budgets: { agents: [ a ] }'),
  'budget as a word': withHeader('budgets: { agents: { "*": 64MiB } }'),
  'unknown budget key': withHeader('budgets: { agents: { "*": { maxx: 64MiB } } }'),
  'unknown priority': withHeader('budgets: { agents: { "*": { priority: high } } }'),
  'unknown action': withHeader('ladder: { warning: [ notfy ] }'),
  'unknown action with options': withHeader('ladder: { warning: [ cache.shrink: { to: 70% } ] }'),
  'approver of no kind': withHeader('approvals: { a: { by: [ sre ], ttl: 1m, on-expiry: deny } }'),
  'quorum of nobody': withHeader('approvals: { a: { by: [ owner ], quorum: 0, ttl: 1m, on-expiry: deny } }'),
  'approval without a deadline': withHeader('approvals: { a: { by: [ owner ], on-expiry: deny } }'),
  'approval without a default': withHeader('approvals: { a: { by: [ owner ], ttl: 1m } }'),
  'self-approval': withHeader('approvals: { a: { by: [ owner ], self: allow, ttl: 1m, on-expiry: deny } }'),
  'rate without a period': withHeader('guards: { destructive: { rate: 10 } }'),
  'rate of nothing': withHeader('guards: { destructive: { rate: 0/m } }'),
  'rate by the week': withHeader('guards: { destructive: { rate: 3/w } }'),
  'rate above a thousand': withHeader('guards: { destructive: { rate: 1001/m } }'),
  'span with one end': withHeader('ladder: { warning: [ admit.throttle: { scaled: 80% } ] }'),
  'span without units': withHeader('ladder: { warning: [ admit.refuse: { retry-after: 5..20 } ] }'),
  'span as a list': withHeader('ladder: { warning: [ admit.refuse: { retry-after: [ 5s, 20s ] } ] }'),
  'count of nothing': withHeader('ladder: { warning: [ scope.stop: { max: 0 } ] }'),
  'count above its bound': withHeader('ladder: { warning: [ scope.stop: { max: 101 } ] }'),
  'name with a space': withHeader('ladder: { warning: [ keepers.shrink: { kinds: [ a b ] } ] }'),
  'unknown pick': withHeader('ladder: { warning: [ scope.stop: { pick: random } ] }'),
  'unknown settle key': withHeader('settle: { one-in-flight: true }'),
  'two actions in one rung': withHeader('ladder: { warning: [ { notify: {}, notfy: {} } ] }'),
  'no action in a rung': withHeader('ladder: { warning: [ {} ] }'),
  'unknown option of an action': withHeader('ladder: { warning: [ notify: { every: 5m } ] }'),
  'ladder as a word': withHeader('ladder: { warning: notify }'),
  'exempt without a kind': withHeader('exempt: { scopes: [ billing ] }'),
  'a null where a value belongs': withHeader('mode:'),
};
