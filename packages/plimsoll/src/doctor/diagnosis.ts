import { createHash } from 'node:crypto';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Frame, HeapUse, Level } from '@plimsoll/host/protocol/frame';
import type { AttachedVitals } from '../attach/vitals.ts';
import type { GrowthShape } from '@plimsoll/leak/internal/judge/growth-shape';
import type { RecordedChannel } from '@plimsoll/leak/internal/proof/growth-record';
import { adviceFor } from './advice.ts';
import { heapSizeFacts, proposeHeapSizes } from './heap-sizes.ts';
import type { SizeProposal } from './heap-sizes.ts';

/** The resident memory of a process by kind, in bytes. The parts add up to `rss`. */
interface Whereabouts {
  readonly rss: number;
  /** Live and garbage objects without code. */
  readonly heap: number;
  readonly code: number;
  /** Pages that V8 keeps unused. A last-resort GC returns them. */
  readonly slack: number;
  readonly arrayBuffers: number;
  /** External memory beside ArrayBuffers: strings, and objects of native addons that report it to V8. */
  readonly external: number;
  /** Everything outside of V8: the binary, stacks, malloc, native addons. About 42 MB are Node.js itself. */
  readonly native: number;
}

/** A diagnosis of a process without user content: only numbers, kinds and codes; no value, key or path of the user. */
export interface Diagnosis {
  readonly plimsoll: string;
  readonly node: string;
  readonly platform: string;
  readonly by: 'feed' | 'inspector';
  readonly uptimeMs: number;
  readonly level: Level | null;
  readonly memory: Whereabouts;
  readonly floor: { readonly bytes: number; readonly ageMs: number } | null;
  readonly limits: readonly {
    readonly source: string;
    readonly usedBytes: number;
    readonly bytes: number;
    readonly binds: boolean;
  }[];
  readonly scopes: {
    readonly open: number;
    readonly unattributedBytes: number | null;
    readonly kinds: Frame['kinds'];
    /** Heaviest scopes; names are hashed unless the user wants them. */
    readonly top: readonly {
      readonly path: string;
      readonly bytes: number;
      readonly peakBytes: number;
      readonly level: Level;
    }[];
  } | null;
  readonly growth: Readonly<
    Record<RecordedChannel, { readonly shape: GrowthShape; readonly bytes: number; readonly floors: number }>
  > | null;
  readonly findings: readonly Pick<
    Finding,
    | 'kind'
    | 'severity'
    | 'scope'
    | 'fingerprint'
    | 'bytes'
    | 'count'
    | 'rate'
    | 'knownLeak'
    | 'subject'
    | 'site'
  >[];
  /** Whether the policy file is in force; null when the process is not governed or has no policy file. Text is shown with names only. */
  readonly policy: {
    readonly mode: string;
    /** Why the current file is not in force, with its error code; null when it is. */
    readonly fault: string | null;
    readonly faultForMs: number | null;
    /** The policy that was given up and why; null when none was. */
    readonly givenUp: string | null;
  } | null;
  readonly resources: Readonly<Record<string, number>> | null;
  readonly detachedContexts: number;
  /** Recent work of the collector; null when no host measured it. */
  readonly collector: Frame['heap']['generations'] | null;
  /** Sizes of V8's generations that would serve this process better. */
  readonly sizes: readonly SizeProposal[];
  readonly self: Frame['reading']['self'] | null;
  readonly advice: readonly string[];
}

const shownScopes = 5;

/** The diagnosis of a governed process from its newest frame. */
export function diagnoseFrame(frame: Frame, version: string, showNames: boolean): Diagnosis {
  const { reading } = frame;
  const nameOf = (path: string): string => (showNames ? path : hashedPath(path));
  return advised({
    plimsoll: version,
    node: frame.node,
    platform: `${process.platform}-${process.arch}`,
    by: 'feed',
    uptimeMs: frame.at - frame.startedAt,
    level: frame.level,
    memory: whereabouts(reading.rss, frame.heap, reading.external, reading.arrayBuffers),
    floor: reading.floor === undefined ? null : { bytes: reading.floor, ageMs: reading.floorAgeMs ?? 0 },
    limits: limitsOf(frame),
    scopes: {
      open: frame.scopeCount,
      unattributedBytes: frame.unattributedBytes,
      kinds: frame.kinds,
      top: frame.scopes
        .slice(0, shownScopes)
        .map(({ path, bytes, peakBytes, level }) => ({ path: nameOf(path), bytes, peakBytes, level })),
    },
    growth: growthOf(frame),
    findings: frame.findings.map((finding) => shownFinding(finding, showNames)),
    policy: policyOf(frame, showNames),
    resources: null,
    detachedContexts: frame.heap.detachedContexts,
    collector: frame.heap.generations ?? null,
    sizes: sizesOf(frame),
    self: reading.self,
  });
}

/** Proposed sizes. There are none with found or suspected growth, because a larger heap does not help then. */
function sizesOf(frame: Frame): readonly SizeProposal[] {
  const isGrave = ({ severity }: Frame['findings'][number]): boolean =>
    severity !== 'info' && severity !== 'low';
  const isLeaking = frame.findings.some(isGrave) || frame.growth?.channels.heap.shape === 'growing';
  const facts = heapSizeFacts(frame, isLeaking);
  return facts === undefined ? [] : proposeHeapSizes(facts);
}

/** A fault quotes the file, and a reason may name scopes. So both are shown in full only when the user wants names. */
function policyOf({ policy, at }: Frame, showNames: boolean): Diagnosis['policy'] {
  if (policy.file === null) return null;
  const { mode, fault, faultSince, givenUp } = policy;
  const code = fault === null ? null : (/^PLM_\w+/.exec(fault)?.[0] ?? 'unknown fault');
  return {
    mode,
    fault: showNames ? fault : code,
    faultForMs: faultSince === null ? null : Math.max(0, at - faultSince),
    givenUp: givenUp === null || showNames ? givenUp : 'the policy of the file was given up',
  };
}

/** Events, classes and places are names of the program. They are shown only when the user wants names. */
function shownFinding(finding: Frame['findings'][number], showNames: boolean): Diagnosis['findings'][number] {
  const { kind, severity, scope, fingerprint, bytes, count, rate, knownLeak, subject, site } = finding;
  return {
    kind,
    severity,
    scope: showNames ? scope : hashedPath(scope),
    fingerprint,
    bytes,
    count,
    ...(rate !== undefined && { rate }),
    ...(knownLeak !== undefined && { knownLeak }),
    ...(showNames && subject !== undefined && { subject }),
    ...(showNames && site !== undefined && { site }),
  };
}

/** The diagnosis of any process from the answer of its inspector. */
export function diagnoseVitals(vitals: AttachedVitals, version: string): Diagnosis {
  const sum = (pick: (space: AttachedVitals['spaces'][number]) => number): number =>
    vitals.spaces.reduce((bytes, space) => bytes + pick(space), 0);
  const heap: HeapUse = {
    physicalBytes: sum((space) => space.physical),
    usedBytes: sum((space) => space.used),
    codeBytes: sum((space) => (space.name.startsWith('code') ? space.used : 0)),
    limitBytes: vitals.heapLimit,
    detachedContexts: vitals.contexts.detached,
  };
  return advised({
    plimsoll: version,
    node: vitals.node,
    platform: `${process.platform}-${process.arch}`,
    by: 'inspector',
    uptimeMs: vitals.uptimeMs,
    level: null,
    memory: whereabouts(vitals.rss, heap, vitals.external, vitals.arrayBuffers),
    floor: null,
    limits: [
      { source: 'v8-heap', usedBytes: vitals.heapUsed, bytes: vitals.heapLimit, binds: true },
      ...(vitals.constrained > 0
        ? [
            {
              source: 'cgroup',
              usedBytes: vitals.rss,
              bytes: vitals.constrained,
              binds: vitals.constrained < vitals.heapLimit,
            },
          ]
        : []),
    ],
    scopes: null,
    growth: null,
    findings: [],
    policy: null,
    resources: vitals.resources,
    detachedContexts: vitals.contexts.detached,
    collector: null,
    sizes: [],
    self: null,
  });
}

function advised(facts: Omit<Diagnosis, 'advice'>): Diagnosis {
  return { ...facts, advice: adviceFor(facts) };
}

function whereabouts(rss: number, heap: HeapUse, external: number, arrayBuffers: number): Whereabouts {
  // "external" of Node.js contains the ArrayBuffers.
  const other = Math.max(0, external - arrayBuffers);
  return {
    rss,
    heap: heap.usedBytes - heap.codeBytes,
    code: heap.codeBytes,
    slack: Math.max(0, heap.physicalBytes - heap.usedBytes),
    arrayBuffers,
    external: other,
    native: Math.max(0, rss - Math.max(heap.physicalBytes, heap.usedBytes) - arrayBuffers - other),
  };
}

function limitsOf({ reading, limits }: Frame): Diagnosis['limits'] {
  const found = reading.pressures ?? [];
  if (found.length === 0)
    return [{ source: limits.source, usedBytes: reading.used, bytes: limits.bytes, binds: true }];
  return found.map((pressure, i) => ({
    source: pressure.source,
    usedBytes: pressure.used,
    bytes: pressure.limit,
    binds: i === 0,
  }));
}

function growthOf({ growth }: Frame): Diagnosis['growth'] {
  if (growth === null) return null;
  const of = (channel: RecordedChannel): { shape: GrowthShape; bytes: number; floors: number } => {
    const { shape, growthBytes, floors } = growth.channels[channel];
    return { shape, bytes: Math.round(growthBytes), floors };
  };
  return { heap: of('heap'), external: of('external'), native: of('native') };
}

/** A path with each name replaced by six hex digits. Lines of the same scope can be matched, and no name can be read. */
export function hashedPath(path: string): string {
  return path
    .split('/')
    .map((part) => {
      const at = part.indexOf(':');
      return at < 0
        ? part
        : `${part.slice(0, at)}:#${createHash('sha256')
            .update(part.slice(at + 1))
            .digest('hex')
            .slice(0, 6)}`;
    })
    .join('/');
}
