// entry @plimsoll/govern
// dist/index.d.ts
export { PolicyError, checkPolicy, parsePolicy } from './policy/parse.ts';
export type { PolicyCheck } from './policy/parse.ts';
export { policyJsonSchema } from './policy/json-schema.ts';
export { builtInPolicy } from './policy/built-in.ts';
export type { Policy } from './policy/policy.ts';
export { useAlertLogger } from './alert/sinks/log-sink.ts';
export { requestRestart } from '@plimsoll/core/internal/gate/drain-hooks';

// dist/policy/parse.d.ts
import { PlimsollError } from '@plimsoll/core';
import type { Policy } from './policy.ts';
/** What reading a policy text gave: the policy, or every problem in it. */
export type PolicyCheck = {
    readonly policy: Policy;
    readonly problems: readonly [];
} | {
    readonly policy?: never;
    readonly problems: readonly PlimsollError[];
};
/** A policy that was refused, with each problem apart. One problem is thrown as itself, several as PLM_POLICY_SEVERAL. */
export declare class PolicyError extends PlimsollError {
    readonly problems: readonly PlimsollError[];
    constructor(file: string, problems: readonly PlimsollError[]);
}
/** Checks a policy text without throwing. `file` is the name used in positions. */
export declare function checkPolicy(text: string, file: string): PolicyCheck;
/** Where a problem is, read back from its text; line 0 when it is about the file as a whole. */
export declare function positionOf(problem: PlimsollError): {
    readonly line: number;
    readonly column: number;
};
/** The policy of a YAML text; throws a `PolicyError` with `file:line:column` for each fault. */
export declare function parsePolicy(text: string, file: string): Policy;

// dist/policy/policy.d.ts
import type { Mode, Priority, RaisedLevel } from '@plimsoll/core/internal/level';
import type { Glob } from './glob.ts';
import type { Place } from './place.ts';
import type { AlertRules } from './sections/alert-rules.ts';
import type { ApprovalPolicy } from './sections/approvals.ts';
import type { GuardRules } from './sections/guards.ts';
import type { RollbackRules } from './sections/rollback.ts';
import type { SettleRules } from './sections/settle.ts';
/** When a level begins and ends. Ratios are used / limit. */
export interface LevelRule {
    readonly enterRatio: number;
    readonly exitRatio: number;
    /** How long the ratio has to stay at or above `enterRatio`. */
    readonly forMs: number;
    /** How long the ratio has to stay below `exitRatio` before the level falls. */
    readonly keepMs: number;
}
export type LevelRules = Readonly<Record<RaisedLevel, LevelRule>>;
/** A size, or a share of the true limit. */
export type Amount = {
    readonly bytes: number;
} | {
    readonly ratio: number;
};
/** The scope kinds that have a section of their own in `budgets`, from the outside in. */
export declare const budgetSections: {
    readonly services: 'service';
    readonly agents: 'agent';
    readonly sessions: 'session';
    readonly runs: 'run';
    readonly stages: 'stage';
    readonly tools: 'tool';
};
export type BudgetSection = keyof typeof budgetSections;
/** One entry of `budgets`: what scopes of a kind, with a matching name, may hold. */
export interface BudgetRule {
    readonly section: BudgetSection | 'global';
    readonly glob: Glob;
    readonly max?: Amount | undefined;
    readonly priority?: Priority | undefined;
    readonly idleMs?: number | undefined;
    readonly place: Place;
}
/** One step of the ladder: a known action with its options, and its own mode when the policy gives one. */
export interface Rung {
    readonly action: string;
    readonly options: Readonly<Record<string, unknown>>;
    readonly mode?: Mode;
    /** Entry of `approvals` that has to agree first. */
    readonly approval?: string;
    /** Least time between two runs while the level stands; each action has its default. */
    readonly cooldownMs?: number;
    readonly timeoutMs?: number;
    readonly place: Place;
}
/** How long the ledger keeps what. */
export interface Retention {
    readonly rawMs: number;
    readonly minuteMs: number;
    readonly hourMs: number;
    readonly maxBytes: number;
}
/** A loaded, checked policy. Frozen: a reload makes a new one. */
export interface Policy {
    readonly file: string;
    /** Number the author gives; 0 when the file has none. */
    readonly revision: number;
    /** Hash of the file's bytes; with `revision` it goes into every ledger row. */
    readonly sha256: string;
    readonly mode: Mode;
    readonly limits: {
        /** Share of V8's old space that counts as usable, because V8 may abort from 80 % of it on. */
        readonly heapUsableRatio: number;
        /** Cap on the working set, beside the cgroup's. */
        readonly rssMaxBytes?: number;
        /** Cap on external memory and array buffers; without it this source is not watched. */
        readonly nativeMaxBytes?: number;
    };
    readonly levels: LevelRules;
    readonly signal: {
        readonly sampleMs: number;
        readonly fastMs: number;
        readonly staleMs: number;
        /** After start only an emergency may rise for this long. */
        readonly graceMs: number;
    };
    readonly global: {
        readonly max: Amount;
        readonly reserveBytes: number;
        readonly place: Place;
    };
    /** Rules of every section but `global`, most specific first within a section. */
    readonly budgets: Readonly<Record<BudgetSection, readonly BudgetRule[]>>;
    readonly ladder: Readonly<Record<RaisedLevel, readonly Rung[]>>;
    readonly approvals: ApprovalPolicy;
    readonly settle: SettleRules;
    readonly guards: GuardRules;
    readonly retention: Retention;
    readonly rollback: RollbackRules;
    readonly alerts: AlertRules;
    /** Scopes, with everything inside them, that get no level and no action. */
    readonly exempt: readonly ExemptRule[];
    /** Things that are allowed but probably not meant. */
    readonly notes: readonly PolicyNote[];
}
export interface ExemptRule {
    readonly kind: string;
    readonly glob: Glob;
    readonly place: Place;
}
export interface PolicyNote {
    readonly text: string;
    readonly place: Place;
}

// dist/policy/glob.d.ts
/** A name pattern: `*` stands for any characters, `?` for exactly one, everything else for itself. */
export interface Glob {
    readonly text: string;
    /** Literal and `?` characters; of two globs that match, the one with more of them wins. */
    readonly specificity: number;
    /** True when the glob has no wildcard, so that it beats every glob that has one. */
    readonly exact: boolean;
    readonly matches: (name: string) => boolean;
}
export declare function compileGlob(text: string): Glob;
/**
 * Whether a pattern with `*` stands for a text; `one` stands for exactly one character. Greedy with one point of return, O(text x pattern) at
 * worst: a regular expression of many stars could take exponential time.
 */
export declare function matchesWildcards(pattern: string, text: string, one?: '?'): boolean;
/** Orders globs from the most to the least specific. */
export declare function bySpecificity(a: Glob, b: Glob): number;
/** True when neither of two globs is more specific and some name matches both: which one wins would be a guess. */
export declare function isTie(a: Glob, b: Glob): boolean;
/** Whether some name matches both patterns, by walking both at once. */
export declare function overlap(a: string, b: string): boolean;

// dist/policy/place.d.ts
/** A position in a policy file, both counted from 1 as editors do. */
export interface Place {
    readonly file: string;
    readonly line: number;
    readonly column: number;
}
/** "plimsoll.yaml:7:5". */
export declare function formatPlace(place: Place): string;
/** "plimsoll.yaml:7": enough to find a rule, short enough for a ledger row. */
export declare function formatLine(place: Place): string;
/** A path of keys as people write it: `budgets.agents."research-*".max`, `ladder.warning[0]`. */
export declare function formatKeyPath(path: readonly (string | number)[]): string;

// dist/policy/sections/alert-rules.d.ts
import type { Place } from '../place.ts';
import type { AlertsDocument } from './alerts.ts';
export declare const alertLevels: readonly ['warning', 'critical', 'emergency'];
export type AlertLevel = (typeof alertLevels)[number];
/** The labels every alert has; grouping and inhibition compare them. */
export declare const alertLabels: readonly ['alertname', 'level', 'service', 'pod', 'kind'];
export type AlertLabel = (typeof alertLabels)[number];
export declare const recipientKinds: readonly ['log', 'webhook', 'slack', 'alertmanager', 'a2a'];
export type RecipientKind = (typeof recipientKinds)[number];
/** Where a secret is: the policy never holds one. */
export type SecretRef = {
    readonly env: string;
} | {
    readonly file: string;
};
/** Who is told, and how. */
export interface RecipientRule {
    readonly name: string;
    readonly kind: RecipientKind;
    /** Absent for `log`. A reference when the address itself is a secret, as a Slack one is. */
    readonly url?: string | SecretRef;
    readonly secret?: SecretRef;
    readonly token?: SecretRef;
    readonly timeoutMs: number;
    readonly attempts: number;
    readonly resendMs: number;
    readonly allowPrivate: boolean;
    readonly place: Place;
}
/** While an alert of level `source` fires, those of `target` with equal labels are not sent. */
export interface InhibitRule {
    readonly source: AlertLevel;
    readonly target: readonly AlertLevel[];
    readonly equal: readonly AlertLabel[];
}
/** Where the server for approvals over A2A listens. */
export interface A2aServerRule {
    readonly host: string;
    readonly port: number;
    /** The address others reach it by, when that is not the one it listens on. */
    readonly url?: string;
    readonly place: Place;
}
/** The section `alerts`, with every default filled in. */
export interface AlertRules {
    /** False when the policy has no such section: alerts then go to the channel and the ledger only. */
    readonly declared: boolean;
    readonly service?: string;
    readonly groupBy: readonly AlertLabel[];
    readonly groupWaitMs: number;
    readonly urgentWaitMs: number;
    readonly groupIntervalMs: number;
    readonly repeatMs: number;
    readonly inhibit: readonly InhibitRule[];
    readonly recipients: readonly RecipientRule[];
    readonly routes: Readonly<Record<AlertLevel, readonly string[]>>;
    readonly a2aServer?: A2aServerRule;
}
/** What a policy without `alerts` gets. */
export declare const alertDefaults: AlertRules;
/** The rules of a policy, with every default filled in. */
export declare function alertRulesOf(given: AlertsDocument, placeOf: (path: readonly (string | number)[]) => Place): AlertRules;

// dist/policy/sections/alerts.d.ts
import type { ValueOf } from '../shape.ts';
declare const secretTable: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    env: import("../shape.ts").Key<string, false>;
    file: import("../shape.ts").Key<string, false>;
}>>;
declare const recipient: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    kind: import("../shape.ts").Key<"a2a" | "alertmanager" | "log" | "slack" | "webhook", true>;
    url: import("../shape.ts").Key<string | import("../shape.ts").TableValue<{
        env: import("../shape.ts").Key<string, false>;
        file: import("../shape.ts").Key<string, false>;
    }>, false>;
    secret: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        env: import("../shape.ts").Key<string, false>;
        file: import("../shape.ts").Key<string, false>;
    }>, false>;
    token: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        env: import("../shape.ts").Key<string, false>;
        file: import("../shape.ts").Key<string, false>;
    }>, false>;
    timeout: import("../shape.ts").Key<number, false>;
    attempts: import("../shape.ts").Key<number, false>;
    resend: import("../shape.ts").Key<number, false>;
    'allow-private': import("../shape.ts").Key<boolean, false>;
}>>;
/** The section `alerts` of a policy. */
export declare const alertsSection: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    service: import("../shape.ts").Key<string, false>;
    'group-by': import("../shape.ts").Key<readonly ("alertname" | "kind" | "level" | "pod" | "service")[], false>;
    'group-wait': import("../shape.ts").Key<number, false>;
    'urgent-wait': import("../shape.ts").Key<number, false>;
    'group-interval': import("../shape.ts").Key<number, false>;
    repeat: import("../shape.ts").Key<number, false>;
    inhibit: import("../shape.ts").Key<readonly import("../shape.ts").TableValue<{
        source: import("../shape.ts").Key<"critical" | "emergency" | "warning", true>;
        target: import("../shape.ts").Key<readonly ("critical" | "emergency" | "warning")[], true>;
        equal: import("../shape.ts").Key<readonly ("alertname" | "kind" | "level" | "pod" | "service")[], true>;
    }>[], false>;
    recipients: import("../shape.ts").Key<Readonly<Record<string, import("../shape.ts").TableValue<{
        kind: import("../shape.ts").Key<"a2a" | "alertmanager" | "log" | "slack" | "webhook", true>;
        url: import("../shape.ts").Key<string | import("../shape.ts").TableValue<{
            env: import("../shape.ts").Key<string, false>;
            file: import("../shape.ts").Key<string, false>;
        }>, false>;
        secret: import("../shape.ts").Key<import("../shape.ts").TableValue<{
            env: import("../shape.ts").Key<string, false>;
            file: import("../shape.ts").Key<string, false>;
        }>, false>;
        token: import("../shape.ts").Key<import("../shape.ts").TableValue<{
            env: import("../shape.ts").Key<string, false>;
            file: import("../shape.ts").Key<string, false>;
        }>, false>;
        timeout: import("../shape.ts").Key<number, false>;
        attempts: import("../shape.ts").Key<number, false>;
        resend: import("../shape.ts").Key<number, false>;
        'allow-private': import("../shape.ts").Key<boolean, false>;
    }>>>, false>;
    routes: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        warning: import("../shape.ts").Key<readonly string[], false>;
        critical: import("../shape.ts").Key<readonly string[], false>;
        emergency: import("../shape.ts").Key<readonly string[], false>;
    }>, false>;
    'a2a-server': import("../shape.ts").Key<import("../shape.ts").TableValue<{
        port: import("../shape.ts").Key<number, true>;
        host: import("../shape.ts").Key<string, false>;
        url: import("../shape.ts").Key<string, false>;
    }>, false>;
}>>;
export type AlertsDocument = ValueOf<typeof alertsSection> | undefined;
export type RecipientDocument = ValueOf<typeof recipient>;
export type SecretDocument = ValueOf<typeof secretTable>;
export {};

// dist/policy/shape.d.ts
/**
 * The shape of a policy document as data: one definition gives the loader its checks, every error its words
 * and editors their JSON Schema, so the three cannot drift apart.
 */
export type Shape<T = unknown> = Leaf<T> | Table<T> | Named<T> | List<T> | Choice<T>;
/** A scalar with one accepted form. */
export interface Leaf<T> {
    readonly kind: 'leaf';
    /** Reads after "it has to be": "a size with a unit such as 64MiB". */
    readonly accepted: string;
    /** A value to show in a fix. */
    readonly example: string;
    /** Set when a bare number is refused because its unit would be a guess. */
    readonly unit?: 'size' | 'duration' | 'percent';
    /** The accepted words, when the form is a list of words. */
    readonly words?: readonly string[];
    /** The words are names of actions, which have their own error. */
    readonly actions?: boolean;
    /** What is written may be a secret, and is not shown when it is refused. */
    readonly hidden?: boolean;
    readonly read: (value: string | number | boolean) => T | undefined;
    readonly json: JsonSchema;
}
/** A map with fixed keys; any other key is refused. */
export interface Table<T> {
    readonly kind: 'table';
    /** "a budget": used in "is not a key of a budget". */
    readonly noun: string;
    readonly keys: Readonly<Record<string, Key>>;
    /** Exactly one key has to be present: the map names one thing and gives its options. */
    readonly single?: boolean;
    /** The keys are names of actions, which have their own error. */
    readonly actions?: boolean;
    readonly value?: T;
}
export interface Key<T = unknown, R extends boolean = boolean> {
    readonly shape: Shape<T>;
    readonly about: string;
    readonly required: R;
}
/** A map from names (or globs) the author chooses to values of one shape. */
export interface Named<T> {
    readonly kind: 'named';
    readonly noun: string;
    readonly item: Shape;
    readonly value?: T;
}
export interface List<T> {
    readonly kind: 'list';
    readonly noun: string;
    readonly item: Shape;
    readonly value?: T;
}
/** Either a word or a map, told apart by what is written. */
export interface Choice<T> {
    readonly kind: 'choice';
    readonly word: Leaf<unknown>;
    readonly table: Shape;
    readonly value?: T;
}
export type JsonSchema = {
    readonly [key: string]: unknown;
};
export type ValueOf<S> = S extends Shape<infer T> ? T : never;
type Keys = Record<string, Key>;
type KeysWith<K extends Keys, R extends boolean> = {
    [P in keyof K]: K[P] extends Key<unknown, R> ? P : never;
}[keyof K];
export type TableValue<K extends Keys> = {
    readonly [P in KeysWith<K, true>]: ValueOf<K[P]['shape']>;
} & {
    readonly [P in KeysWith<K, false>]?: ValueOf<K[P]['shape']>;
};
export declare function required<T>(shape: Shape<T>, about: string): Key<T, true>;
export declare function optional<T>(shape: Shape<T>, about: string): Key<T, false>;
export declare function table<K extends Keys>(noun: string, keys: K): Table<TableValue<K>>;
export declare function named<T>(noun: string, item: Shape<T>): Named<Readonly<Record<string, T>>>;
export declare function list<T>(noun: string, item: Shape<T>): List<readonly T[]>;
export {};

// dist/policy/sections/approvals.d.ts
import type { DocumentReader } from '../document-reader.ts';
import type { Place } from '../place.ts';
import type { Mode } from '@plimsoll/core/internal/level';
import type { ValueOf } from '../shape.ts';
/** What no answer means. `skip`: the action does not run. `deny`: what waits is refused. `proceed`: it runs. */
export type OnExpiry = 'skip' | 'deny' | 'proceed';
/** Who may let something happen, by when, and what no answer means. */
export interface ApprovalRule {
    readonly name: string;
    /** `owner`, `user:NAME`, `agent:NAME` or `group:NAME`. */
    readonly by: readonly string[];
    /** Different approvers that have to agree; one no is enough. */
    readonly quorum: number;
    readonly ttlMs: number;
    readonly onExpiry: OnExpiry;
    /** At this level the policy itself lets an action of the ladder run, and a review ticket is opened. */
    readonly breakGlass: 'emergency' | 'never';
    /** Most open tickets of this entry. */
    readonly pendingMax: number;
    readonly mode?: Mode | undefined;
    readonly place: Place;
}
/** The approvals of a policy, and what has to wait for one. */
export interface ApprovalPolicy {
    readonly rules: Readonly<Record<string, ApprovalRule>>;
    /** Delegations deeper than this need an approval of that entry. */
    readonly delegation?: {
        readonly approval: string;
        readonly deeperThan: number;
    } | undefined;
    /** Operations the program calls critical, and every one from this level of the process on. */
    readonly operations?: {
        readonly approval: string;
        readonly from: 'warning' | 'critical' | 'emergency';
    } | undefined;
}
/** What a policy without `approvals` gets: every delegation deeper than 4 and every critical memory operation waits for the owner. */
export declare const approvalDefaults: ApprovalPolicy;
/** The section `approvals` of a policy. */
export declare const approvalsSection: import("../shape.ts").Named<Readonly<Record<string, import("../shape.ts").TableValue<{
    by: import("../shape.ts").Key<readonly string[], true>;
    quorum: import("../shape.ts").Key<number, false>;
    self: import("../shape.ts").Key<"forbid", false>;
    ttl: import("../shape.ts").Key<number, true>;
    'on-expiry': import("../shape.ts").Key<"deny" | "proceed" | "skip", true>;
    'break-glass': import("../shape.ts").Key<"emergency" | "never", false>;
    'pending-max': import("../shape.ts").Key<number, false>;
    mode: import("../shape.ts").Key<"enforce" | "observe" | "shadow", false>;
    for: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        delegation: import("../shape.ts").Key<import("../shape.ts").TableValue<{
            'deeper-than': import("../shape.ts").Key<number, true>;
        }>, false>;
        operations: import("../shape.ts").Key<import("../shape.ts").TableValue<{
            from: import("../shape.ts").Key<"critical" | "emergency" | "warning", true>;
        }>, false>;
    }>, false>;
}>>>>;
export type GivenApprovals = ValueOf<typeof approvalsSection>;
/**
 * The approvals of a document. The built-in entry `operator` stays unless the document has one of that name, and a document's own
 * entry for delegations or operations takes them over.
 */
export declare function approvalPolicyOf(given: GivenApprovals | undefined, reader: DocumentReader): ApprovalPolicy;

// dist/policy/document-reader.d.ts
import type { PlimsollError } from '@plimsoll/core';
import type { Place } from './place.ts';
import type { Shape } from './shape.ts';
import type { Tree } from './yaml-tree.ts';
type Path = readonly (string | number)[];
/** Reads a tree by a shape: the value where it fits, and a problem with its place for each part that does not. */
export declare class DocumentReader {
    #private;
    readonly problems: PlimsollError[];
    /** The value, or undefined when it could not be read; `problems` says why. */
    read<T>(shape: Shape<T>, tree: Tree): T | undefined;
    /** Where the value at a path stands; the nearest part around it when it is not in the file. */
    placeOf(path: Path): Place;
}
export {};

// dist/policy/yaml-tree.d.ts
import type { PlimsollError } from '@plimsoll/core';
import type { Place } from './place.ts';
/** A YAML document as the loader reads it: aliases resolved, keys unique, every part with its place. */
export type Tree = ScalarTree | MapTree | ListTree;
export interface ScalarTree {
    readonly kind: 'scalar';
    readonly value: string | number | boolean | null;
    /** The scalar as written. */
    readonly text: string;
    readonly place: Place;
}
export interface MapTree {
    readonly kind: 'map';
    readonly entries: readonly MapEntry[];
    readonly place: Place;
}
export interface MapEntry {
    readonly key: string;
    readonly keyPlace: Place;
    readonly value: Tree;
}
export interface ListTree {
    readonly kind: 'list';
    readonly items: readonly Tree[];
    readonly place: Place;
}
export declare const maxPolicyBytes: number;
/** Parses YAML text; without a tree there is at least one problem. */
export declare function parseYamlTree(text: string, file: string): {
    tree?: Tree;
    problems: PlimsollError[];
};

// dist/policy/sections/guards.d.ts
import type { ValueOf } from '../shape.ts';
import type { Rate } from '../span.ts';
/** What keeps the ladder from doing harm itself. */
export interface GuardRules {
    readonly destructive: {
        /** Scopes stopped, in any stretch of time. */
        readonly rate: Rate;
        /** Share of the open scopes of a kind that may be stopped in that time; one is always allowed. */
        readonly shareOfWorkRatio: number;
    };
    readonly selfDisable: {
        /** Share of the work that was refused, and for how long, without pressure falling. */
        readonly shedShareRatio: number;
        readonly forMs: number;
    };
}
export declare const guardDefaults: GuardRules;
/** The section `guards` of a policy. */
export declare const guardsSection: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    destructive: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        rate: import("../shape.ts").Key<Rate, false>;
        'share-of-work': import("../shape.ts").Key<number, false>;
    }>, false>;
    'self-disable': import("../shape.ts").Key<import("../shape.ts").TableValue<{
        'shed-share': import("../shape.ts").Key<number, false>;
        for: import("../shape.ts").Key<number, false>;
    }>, false>;
}>>;
export declare function guardRulesOf(given: ValueOf<typeof guardsSection> | undefined): GuardRules;

// dist/policy/span.d.ts
import type { Leaf } from './shape.ts';
/** From one value to another, both included. */
export interface Span {
    readonly min: number;
    readonly max: number;
}
/** At most so many in any stretch of time of this length. */
export interface Rate {
    readonly count: number;
    readonly perMs: number;
}
/** "80%..95%". */
export declare function percentSpan(example: string): Leaf<Span>;
/** "5s..20s". */
export declare function durationSpan(example: string, atMostMs: number): Leaf<Span>;
/** "10/m": so many per second, minute, hour or day. */
export declare function rate(example: string): Leaf<Rate>;
/** "10/m" of a rate, as people read it. */
export declare function formatRate({ count, perMs }: Rate): string;
/** A number from 1 up, with a bound, that counts something. */
export declare function countUpTo(noun: string, example: string, atMost: number): Leaf<number>;
/** A name that the author of a policy or a program chose. */
export declare function name(noun: string, example: string): Leaf<string>;

// dist/policy/sections/rollback.d.ts
import type { PlimsollError } from '@plimsoll/core';
import type { ValueOf } from '../shape.ts';
/** When the governor gives a policy up by itself, and what it then does. */
export interface RollbackRules {
    /** `last-good` falls back to `shadow` when no policy was ever kept as good. */
    readonly to: 'last-good' | 'shadow' | 'never';
    /** Growth of the floor beyond what was usual before, at usual load. */
    readonly growthBytes: number;
    /** Least share of garbage that major GCs free. */
    readonly gcEffectivenessRatio: number;
    /** Loop delay from which the process counts as unresponsive, and how long it has to last. */
    readonly loopDelayMs: number;
    readonly loopForMs: number;
    /** Share of operations blocked, and how long it has to last without pressure falling. */
    readonly blockedRatio: number;
    readonly blockedForMs: number;
    /** A policy that was enforced for so long without a trigger is kept as good. */
    readonly goodAfterMs: number;
    /** At most one rollback in this time. */
    readonly cooldownMs: number;
}
/** What a policy without `rollback` gets: the thresholds of the field's own rule of thumb. */
export declare const rollbackDefaults: RollbackRules;
/** The section `rollback` of a policy. */
export declare const rollbackSection: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    to: import("../shape.ts").Key<"last-good" | "never" | "shadow", false>;
    growth: import("../shape.ts").Key<number, false>;
    'gc-effectiveness': import("../shape.ts").Key<number, false>;
    unresponsive: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        delay: import("../shape.ts").Key<number, false>;
        for: import("../shape.ts").Key<number, false>;
    }>, false>;
    blocked: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        share: import("../shape.ts").Key<number, false>;
        for: import("../shape.ts").Key<number, false>;
    }>, false>;
    'good-after': import("../shape.ts").Key<number, false>;
    cooldown: import("../shape.ts").Key<number, false>;
}>>;
/** The rules of a document, every default filled in. */
export declare function rollbackRulesOf(given: ValueOf<typeof rollbackSection> | undefined): RollbackRules;
/** A second rollback could come before the first one's effect was seen. */
export declare function rollbackProblems(given: ValueOf<typeof rollbackSection> | undefined, at: (...path: readonly (string | number)[]) => {
    place: string;
    path: string;
}): PlimsollError[];

// dist/policy/sections/settle.d.ts
import type { ValueOf } from '../shape.ts';
/** When the effect of an action counts as measured, and what is enough. */
export interface SettleRules {
    readonly wait: 'next-major-gc' | 'time';
    readonly atMostMs: number;
    /** Share of the bytes in use that an action has to free; after less, the next rung runs. */
    readonly minFreedRatio: number;
    /** Rest after the last rung before the ladder begins again while the level stands. */
    readonly againMs: number;
}
export declare const settleDefaults: SettleRules;
/** The section `settle` of a policy. */
export declare const settleSection: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    wait: import("../shape.ts").Key<"next-major-gc" | "time", false>;
    'at-most': import("../shape.ts").Key<number, false>;
    'min-freed': import("../shape.ts").Key<number, false>;
    again: import("../shape.ts").Key<number, false>;
}>>;
export declare function settleRulesOf(given: ValueOf<typeof settleSection> | undefined): SettleRules;

// dist/policy/json-schema.d.ts
import type { JsonSchema } from './shape.ts';
/** The JSON Schema (2020-12) of a policy file, for completion and checks in editors. */
export declare function policyJsonSchema(): JsonSchema;

// dist/policy/built-in.d.ts
import type { LevelRules, Policy } from './policy.ts';
/** The named sets of levels a policy can choose; `strict` is what a policy without `levels` gets. */
export declare const levelPresets: Readonly<Record<'strict' | 'relaxed', LevelRules>>;
/** The policy of a process that was given none: it watches and never acts. Every value a policy file leaves out comes from here. */
export declare const builtInPolicy: Policy;

// dist/alert/sinks/log-sink.d.ts
import type { Logger } from '@plimsoll/core/internal/slots';
import type { Notice } from '../alert.ts';
import type { AlertSink } from './sink.ts';
export type { Logger as AlertLogger };
/** Takes the logger that alerts of this process go to; without an argument they go where they went before. */
export declare function useAlertLogger(logger?: Logger): void;
/** Publishes notices on the channel `plimsoll:alert` and writes them to the logger of the process. */
export declare class LogSink implements AlertSink {
    #private;
    readonly name: string;
    /** `fallback` is used while nobody passed a logger. */
    constructor(name?: string, fallback?: Logger);
    deliver(notice: Notice): Promise<void>;
}

// dist/alert/alert.d.ts
import type { AlertLevel } from '../policy/sections/alert-rules.ts';
export type { AlertLevel } from '../policy/sections/alert-rules.ts';
/** The names that alerts can have; they are few, so that silences and routes can rely on them. */
export declare const alertNames: readonly ['memory.level', 'memory.finding', 'memory.approval', 'memory.action', 'memory.action.failed', 'memory.restart', 'memory.rollback', 'memory.sensor.stale'];
export type AlertName = (typeof alertNames)[number];
/** What tells one alert from another. Two alerts with equal labels are the same alert. */
export interface Labels {
    readonly alertname: AlertName;
    readonly level: AlertLevel;
    readonly service: string;
    readonly pod: string;
    /** The kind of the scopes it is about: an alert is never about one session, but about sessions. */
    readonly kind: string;
    /** Which finding, approval or action; empty when the kind says it all. */
    readonly subject: string;
}
/** One of the scopes behind an alert. */
export interface Offender {
    readonly scope: string;
    readonly level: string;
    readonly usedBytes: number;
    readonly limitBytes: number;
}
/** What an alert says, at the time it is told. */
export interface AlertDetails {
    /** One sentence with the numbers. */
    readonly summary: string;
    /** The worst five; `offenderCount` says how many there are. */
    readonly offenders: readonly Offender[];
    readonly offenderCount: number;
    /** What was done about it lately, newest last. */
    readonly actions: readonly string[];
    readonly fix?: string;
    /** Values a program needs to answer: the id and digest of an approval. */
    readonly values?: Readonly<Record<string, string | number | null>>;
}
/** An alert as it goes out. */
export interface Alert extends AlertDetails {
    readonly fingerprint: string;
    readonly labels: Labels;
    readonly status: 'firing' | 'resolved';
    /** Wall time in ms. */
    readonly startsAt: number;
    readonly endsAt: number | null;
}
/** What one recipient is told at once: alerts of one group that began, still fire after the repeat time, or ended. */
export interface Notice {
    readonly id: string;
    readonly recipient: string;
    /** The labels that the group has in common. */
    readonly group: Readonly<Record<string, string>>;
    /** The highest level in it. */
    readonly level: AlertLevel;
    readonly at: number;
    readonly firing: readonly Alert[];
    readonly resolved: readonly Alert[];
    /** Alerts of the group that fire and that the recipient knows of already. */
    readonly stillFiring: number;
}
/** Time as the router needs it; the clock of `@plimsoll/core/sense` is one. */
export interface AlertClock {
    now(): number;
    monotonic(): number;
    after(ms: number, callback: () => void): () => void;
}
export declare const alertClock: AlertClock;

// dist/alert/sinks/sink.d.ts
import type { Alert, Notice } from '../alert.ts';
/** Somewhere notices go. It throws when a notice did not arrive; a `DeliveryError` says whether trying again can help. */
export interface AlertSink {
    readonly name: string;
    deliver(notice: Notice, signal: AbortSignal): Promise<void>;
    close?(): void;
}
/** Somewhere the whole state goes, again and again, and grouping is done there. */
export interface MirrorSink {
    readonly name: string;
    readonly resendMs: number;
    /** All alerts that fire or ended lately. */
    mirror(alerts: readonly Alert[], signal: AbortSignal): Promise<void>;
    close?(): void;
}
/** Why a notice did not arrive. Its message never holds a secret or more than the host of an address. */
export declare class DeliveryError extends Error {
    /** Trying again cannot help. */
    readonly final: boolean;
    /** The recipient asked never to be told again. */
    readonly gone: boolean;
    /** The recipient asked to be left alone for so long. */
    readonly retryAfterMs: number;
    constructor(message: string, options?: {
        readonly final?: boolean;
        readonly gone?: boolean;
        readonly retryAfterMs?: number;
        readonly cause?: unknown;
    });
}
/** A reason in one line of bounded length. */
export declare function reasonOf(error: unknown): string;
