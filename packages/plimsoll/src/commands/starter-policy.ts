/** The policy that `plimsoll init` writes: it only observes, and its comments show how to switch each acting part on. */
export const starterPolicy = `# yaml-language-server: $schema=./plimsoll.schema.json
# Plimsoll policy. "plimsoll check plimsoll.yaml" checks it, "plimsoll explain SCOPE" says which rule counts for whom.
apiVersion: plimsoll/v1
revision: 1                  # your number for this text; written into every ledger row

# observe: watch only. shadow: also report what an action would have done. enforce: act.
mode: observe

# What the process is measured against; the smallest limit binds. V8 may abort from 80 % of old space on.
limits:
  heap: { usable: 80% }
  # rss: { max: 2GiB }       # beside the limit of the container
  # native: { max: 512MiB }  # external memory and array buffers

# A level begins when used / limit stays at or above "enter" for the time "for". It ends when it stays below "exit" for the time "keep".
# "levels: relaxed" stands for 80/95/98 %.
levels:
  warning: { enter: 60%, exit: 55%, for: 30s, keep: 60s }
  critical: { enter: 80%, exit: 75%, for: 10s, keep: 60s }
  emergency: { enter: 95%, exit: 90%, for: 2s, keep: 60s }

# Budgets: a size, or a percentage of the true limit. The most specific name wins ("*" is the least specific).
# A scope never gets more than the scopes around it.
budgets:
  global: { max: 100%, reserve: 16MiB }
  agents:
    "*": { max: 25% }
    # "research-*": { max: 150MiB, priority: sheddable }
  sessions:
    "*": { max: 16MiB, idle: 15m }
  # services, runs, stages and tools work the same way

# Limits on admitted work at any level, also at normal. Above them "admitOrWait" waits in line and "admit" refuses.
# admission: { runs: 100, agents: 50, delegations: 20, free-memory: 10%, cpu: 90% }

# Actions per level, from top to bottom. Each runs only when the earlier ones freed too little. They act in mode enforce;
# a rung may have its own mode. docs/guides/governing.md has the effect, the cost and the limits of each.
ladder:
  warning:
    - notify
    - hint
    - keepers.shrink: { to: 70% }
    - timeouts.scale
  critical:
    - notify
    - cache.drop
    - replay.trim
    - session.park: { until: 70%, batch: 50 }
    - gc.request: { every: 60s }
    - delegation.clamp: { depth: 3, fan-out: 5 }
    - admit.throttle: { scaled: 80%..95%, only: sheddable }
  emergency:
    - notify
    - admit.refuse: { retry-after: 5s..20s }
    - evidence
    - scope.stop: { pick: least-waste, max: 1 }
    - process.restart: { after: 120s, drain: 30s, jitter: 60s, at-most: 3/h }

# When an action has freed enough, and limits that prevent harm by the ladder itself.
settle: { at-most: 15s, min-freed: 5% }
guards: { destructive: { rate: 10/m, share-of-work: 10% } }

# History on disk.
ledger:
  samples: { raw: 7d, 1m: 90d, 1h: 2y }
  max-size: 1GiB

# Scopes, with everything inside them, that get no level and no action.
# exempt: { scopes: [ "service:billing" ] }
`;
