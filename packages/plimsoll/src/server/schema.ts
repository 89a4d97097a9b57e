import type { RolloutBody } from '@plimsoll/host/protocol/fleet';
import type { ActAnswer } from '@plimsoll/host/protocol/answers';
import type {
  ActBody,
  AuditAnswer,
  AutopsyAnswer,
  AutopsyRow,
  AuditRow,
  ApprovalsAnswer,
  BudgetRow,
  DecisionAnswer,
  DecisionBody,
  ErrorAnswer,
  ExplainAnswer,
  HistoryAnswer,
  PolicyAnswer,
  ProcessRow,
  ProcessesAnswer,
  ScopeHistoryAnswer,
  ScopesAnswer,
  SessionAnswer,
  SnapshotAnswer,
  SnapshotJob,
  WouldHaveRow,
} from '@plimsoll/host/protocol/api';
import type {
  ActionRow,
  ApprovalRow,
  DelegationRow,
  Finding,
  Forecast,
  Frame,
  Incident,
  KeeperRow,
  LevelRow,
  PeakRow,
  ScopeRow,
} from '@plimsoll/host/protocol/frame';
import { levels, readingFields, severities, storedFields } from '@plimsoll/host/protocol/text';

/** JSON Schema (the dialect of OpenAPI 3.1) of all answers of the server, by the names in `api.ts`. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly const?: string | number | boolean;
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
  readonly description?: string;
}

const text: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const flag: Schema = { type: 'boolean' };
const anything: Schema = {};
const list = (items: Schema): Schema => ({ type: 'array', items });
const words = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const map = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** The keys of a type. Optional keys end in `?`. */
type KeysOf<T> = {
  readonly [Key in keyof T & string as object extends Pick<T, Key> ? `${Key}?` : Key]: Schema;
};

/** The schema of a type of ours. It does not compile when type and schema have different keys. */
function of<T extends object>(properties: KeysOf<T>): Schema {
  return shape(properties);
}

/** The same for a type that may have further keys. */
function openOf<T extends object>(properties: Partial<KeysOf<T>>): Schema {
  return shape(properties as Readonly<Record<string, Schema>>, true);
}

/** An object. Keys that end in `?` are optional. */
function shape(properties: Readonly<Record<string, Schema>>, isOpen = false): Schema {
  const keys = Object.keys(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key.replace(/\?$/, ''), properties[key] as Schema])),
    required: keys.filter((key) => !key.endsWith('?')),
    additionalProperties: isOpen,
  };
}

/** The numbers of a reading, from its table. */
function readingNumbers(): Readonly<Record<string, Schema>> {
  const rows = Object.entries(readingFields);
  return Object.fromEntries(
    rows.map(([name, { isOptional, label }]) => [
      `${name}${isOptional ? '?' : ''}`,
      { ...number, description: label },
    ]),
  );
}

const level = words(...levels);
const resolution = words('raw', 'minute', 'hour');

const rows = {
  Incident: of<Incident>({
    id: text,
    revision: number,
    headline: text,
    level,
    openedAt: number,
    endedAt: orNull(number),
    outcome: orNull(words('relieved', 'taken back', 'restarted', 'exited')),
    events: list(
      shape({
        kind: words('growth', 'level', 'refusal', 'action', 'approval', 'restart', 'end'),
        at: number,
        until: number,
        count: number,
        text,
        freedBytes: orNull(number),
      }),
    ),
    eventsLeftOut: number,
    findings: list(text),
    refused: number,
    freedBytes: number,
    peakUsedBytes: number,
    fix: orNull(text),
  }),
  ErrorAnswer: of<ErrorAnswer>({ error: shape({ code: text, message: text, fix: text }) }),
  ProcessRow: of<ProcessRow>({
    id: text,
    pid: orNull(number),
    target: text,
    startedAt: number,
    endedAt: orNull(number),
    state: words('running', 'ended', 'died'),
  }),
  ScopeRow: of<ScopeRow>({
    path: text,
    kind: text,
    bytes: number,
    by: words('census', 'account'),
    measuredAt: orNull(number),
    spread: orNull(shape({ low: number, high: number })),
    peakBytes: number,
    budgetBytes: orNull(number),
    level,
    ageMs: number,
    idleMs: number,
    leases: number,
  }),
  KeeperRow: of<KeeperRow>({
    name: text,
    kind: text,
    scope: orNull(text),
    bytes: number,
    entries: orNull(number),
    boundBytes: orNull(number),
    boundEntries: orNull(number),
    parked: orNull(number),
    hitRatio: orNull(number),
    leases: orNull(number),
  }),
  ActionRow: openOf<ActionRow>({
    id: text,
    at: number,
    action: text,
    scope: text,
    level,
    mode: text,
    outcome: text,
    text,
    rule: text,
    freedBytes: orNull(number),
  }),
  ApprovalRow: openOf<ApprovalRow>({
    id: text,
    digest: text,
    kind: text,
    action: text,
    scope: text,
    why: text,
    evidence: map({ type: ['string', 'number', 'null'] }),
    requestedBy: text,
    at: number,
    deadlineAt: number,
    onExpiry: text,
    quorum: number,
    approvers: list(text),
    votes: list(
      shape({ by: text, decision: words('approve', 'deny'), at: number, channel: text, comment: text }, true),
    ),
    state: text,
    decidedAt: orNull(number),
    ranAt: orNull(number),
  }),
  Finding: openOf<Finding>({
    id: text,
    kind: text,
    severity: words(...severities),
    scope: text,
    fingerprint: text,
    firstSeen: number,
    lastSeen: number,
    count: number,
    bytes: number,
    'rate?': number,
    'exhaustsIn?': shape({ ms: number, low: number, high: number }, true),
    'endedAt?': number,
    'trace?': list(shape({ type: text, name: text, via: text, leaking: text, why: text }, true)),
    'knownLeak?': shape({ name: text, cure: text, link: text }, true),
    fix: text,
  }),
} satisfies Record<string, Schema>;

const frame = openOf<Frame>({
  v: { const: 1 },
  pid: number,
  target: text,
  node: text,
  startedAt: number,
  at: number,
  reading: shape(
    {
      at: number,
      ...readingNumbers(),
      gc: shape({ major: number, minor: number, pauseMs: number }, true),
      self: shape({ bytes: number, cpuRatio: number }, true),
    },
    true,
  ),
  level,
  limits: of<Frame['limits']>({ bytes: number, source: text, text }),
  unattributedBytes: orNull(number),
  keepers: list(ref('KeeperRow')),
  keeperCount: number,
  delegation: orNull(
    of<DelegationRow>({
      active: number,
      depth: number,
      denied: number,
      started: number,
      blockedRatio: number,
    }),
  ),
  scopes: list(ref('ScopeRow')),
  scopeCount: number,
  peaks: list(of<PeakRow>({ path: text, peakBytes: number, at: number })),
  kinds: list(shape({ kind: text, open: number, opened: number, bytes: number })),
  levels: list(
    of<LevelRow>({
      at: number,
      scope: text,
      from: level,
      level,
      usedBytes: number,
      limitBytes: number,
      source: text,
    }),
  ),
  heap: anything,
  findings: list(ref('Finding')),
  incident: orNull(ref('Incident')),
  forecast: orNull(
    of<Forecast>({
      ms: number,
      low: number,
      high: number,
      bytesPerHour: number,
      source: text,
      at: number,
      'endMs?': number,
    }),
  ),
  growth: anything,
  governance: openOf<Frame['governance']>({
    actions: list(ref('ActionRow')),
    approvals: list(ref('ApprovalRow')),
    admission: anything,
    counts: map(number),
  }),
  gcEffectiveness: orNull(number),
  policy: openOf<Frame['policy']>({
    file: orNull(text),
    mode: text,
    revision: orNull(number),
    fault: orNull(text),
    faultSince: orNull(number),
    givenUp: orNull(text),
  }),
  ledger: of<Frame['ledger']>({ dir: orNull(text), droppedSamples: number, fault: orNull(text) }),
  watermark: of<Frame['watermark']>({ usedBytes: number, rss: number, level }),
  last: flag,
});

/** Every named shape of the description. */
export const schemas: Readonly<Record<string, Schema>> = {
  ...rows,
  Frame: frame,
  SessionAnswer: of<SessionAnswer>({
    live: flag,
    canDecide: flag,
    as: orNull(text),
    version: text,
    process: orNull(ref('ProcessRow')),
    'fleet?': flag,
    'fleetRole?': words('viewer', 'approver', 'admin'),
  }),
  ProcessesAnswer: of<ProcessesAnswer>({ processes: list(ref('ProcessRow')) }),
  ScopesAnswer: of<ScopesAnswer>({
    at: number,
    total: number,
    next: orNull(number),
    rows: list(ref('ScopeRow')),
  }),
  ScopeHistoryAnswer: of<ScopeHistoryAnswer>({
    path: text,
    from: number,
    to: number,
    resolution,
    stepMs: number,
    rows: list(shape({ at: number, bytes: number, minBytes: number, maxBytes: number })),
  }),
  HistoryAnswer: of<HistoryAnswer>({
    from: number,
    to: number,
    resolution,
    stepMs: number,
    rows: list(
      shape({
        at: number,
        used: number,
        usedMax: number,
        ...Object.fromEntries(storedFields.map(({ name }) => [name, orNull(number)])),
        level: orNull(level),
      }),
    ),
  }),
  AuditAnswer: of<AuditAnswer>({
    entries: list(of<AuditRow>({ seq: number, at: number, kind: text, scope: text, body: map(anything) })),
    more: flag,
  }),
  ApprovalsAnswer: of<ApprovalsAnswer>({ rows: list(ref('ApprovalRow')) }),
  DecisionBody: of<DecisionBody>({
    decision: words('approve', 'deny'),
    digest: text,
    'comment?': text,
    'key?': text,
  }),
  RolloutBody: of<RolloutBody>({
    service: text,
    version: number,
    mode: words('shadow', 'enforce'),
    share: number,
    'force?': flag,
  }),
  DecisionAnswer: of<DecisionAnswer>({ row: ref('ApprovalRow') }),
  ActBody: of<ActBody>({ action: text, 'scope?': text, 'options?': map(text), 'off?': flag }),
  ActAnswer: of<ActAnswer>({
    id: text,
    action: text,
    scope: text,
    outcome: words('waiting', 'running', 'settling', 'done', 'would-have', 'skipped', 'failed'),
    text,
    releasedBytes: number,
  }),
  AutopsyAnswer: of<AutopsyAnswer>({
    autopsy: orNull(
      openOf<AutopsyRow>({
        pid: number,
        release: orNull(text),
        startedAt: orNull(number),
        endedAt: orNull(number),
        cause: shape({ name: text, sure: words('sure', 'likely', 'unknown'), text, evidence: list(text) }),
        memory: orNull(
          shape({
            used: number,
            limit: number,
            source: text,
            heapUsed: number,
            floor: orNull(number),
            external: number,
            arrayBuffers: number,
            rss: number,
            level,
          }),
        ),
        grew: list(shape({ name: text, bytes: number, grewBytes: number })),
        open: map(number),
        refused: number,
        running: list(text),
        incident: orNull(text),
        fingerprint: orNull(text),
        stack: list(text),
        lastWords: orNull(
          shape(
            {
              sites: list(shape({ name: text, where: text, 'bytes?': number, 'bytesPerHour?': number })),
              'containers?': list(shape({ name: text, entries: number, gained: number })),
            },
            true,
          ),
        ),
        fix: text,
      }),
    ),
    story: orNull(text),
    deaths: number,
  }),
  SnapshotAnswer: of<SnapshotAnswer>({
    prediction: of<SnapshotAnswer['prediction']>({
      objects: number,
      neededBytes: number,
      stopMs: number,
      freeBytes: number,
      fits: flag,
    }),
    job: orNull(
      of<SnapshotJob>({
        id: number,
        at: number,
        state: words('waiting', 'taking', 'done', 'failed'),
        file: orNull(text),
        fileBytes: orNull(number),
        stopMs: orNull(number),
        error: orNull(shape({ code: text, message: text, fix: text })),
      }),
    ),
  }),
  LinkBody: shape({ link: text }),
  LinkAnswer: shape({ token: text }),
  PolicyAnswer: of<PolicyAnswer>({
    file: orNull(text),
    mode: text,
    revision: orNull(number),
    sha256: orNull(text),
    text: orNull(text),
    fault: orNull(text),
    budgets: list(
      of<BudgetRow>({
        section: text,
        glob: text,
        max: orNull(text),
        maxBytes: orNull(number),
        priority: orNull(text),
        idleMs: orNull(number),
        place: text,
      }),
    ),
    wouldHave: list(
      of<WouldHaveRow>({
        action: text,
        level: text,
        rule: text,
        count: number,
        lastAt: number,
        lastScope: text,
        lastText: text,
      }),
    ),
  }),
  ExplainAnswer: of<ExplainAnswer>({
    path: text,
    policy: shape({ file: text, revision: number, sha256: text }),
    mode: text,
    values: list(shape({ key: text, value: text, 'bytes?': number, from: text, 'why?': text })),
    unused: list(shape({ rule: text, place: text, why: text })),
  }),
  HealthAnswer: shape({ ok: flag, why: orNull(text) }),
};
