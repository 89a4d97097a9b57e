import { traceOf } from '@plimsoll/core/internal/adapter/trace-book';
import type { TraceRef } from '@plimsoll/core/adapter';
import v8 from 'node:v8';
import type { Roster } from '@plimsoll/core/internal/scope/roster';
import { delegationRow, keeperRows } from '@plimsoll/core/keeper';
import { GenerationWatch } from '@plimsoll/leak/internal/floor/generations';
import { describeBinding } from '@plimsoll/core/internal/sense/limits';
import type { Limits } from '@plimsoll/core/internal/sense/limits';
import { oldSpace } from '@plimsoll/core/internal/sense/old-space';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Frame, HeapSpaceRow, HeapUse, Level, LevelRow, ScopeRow } from '../protocol/frame.ts';
import type { ScopeStanding } from '../parts/govern/governor.ts';
import type { ScopeBytes } from '../parts/scopes/scope-bytes.ts';

const mostRows = 200;
/** Most rows of keepers, heaviest first. A program may have one keeper per session. */
const mostKeepers = 100;
const mostWorkers = 64;

export interface FrameParts {
  readonly reading: Reading;
  readonly level: Level;
  readonly limits: Limits;
  readonly levels: readonly LevelRow[];
  readonly findings: Frame['findings'];
  readonly forecast: NonNullable<Frame['forecast']> | null;
  readonly incident: Frame['incident'];
  readonly growth: Frame['growth'];
  readonly peaks: () => Frame['peaks'];
  readonly workers?: Frame['workers'];
  readonly stageRuns?: Frame['stageRuns'];
  readonly watermark: Frame['watermark'];
  readonly governance: Frame['governance'];
  readonly resume?: Frame['resume'] | undefined;
  readonly gcEffectiveness: Frame['gcEffectiveness'];
  readonly policy: Frame['policy'];
  readonly ledger: Frame['ledger'];
  readonly standingOf: () => (scope: {
    readonly path: string;
    readonly budget: number | undefined;
  }) => ScopeStanding;
  readonly last: boolean;
}

/** A frame without the rows of scopes and the fields that belong to them. */
export type BriefFrame = Omit<Frame, 'scopes' | 'scopeCount' | 'kinds' | 'peaks' | 'heap'>;

/** Makes the frames of a process. The identity of the process is read once, its memory at every frame. */
export class FrameMaker {
  readonly #identity: Pick<Frame, 'v' | 'pid' | 'target' | 'node' | 'startedAt'>;
  readonly #roster: Roster;
  readonly #bytes: ScopeBytes;
  readonly #generations = new GenerationWatch();
  readonly #oldSpaceBytes = oldSpace().bytes;
  #unattributedPeak = 0;

  constructor(
    identity: { readonly target: string; readonly startedAt: number },
    roster: Roster,
    bytes: ScopeBytes,
  ) {
    this.#identity = { v: 1, pid: process.pid, node: process.version, ...identity };
    this.#roster = roster;
    this.#bytes = bytes;
  }

  stop(): void {
    this.#generations.stop();
  }

  make(parts: FrameParts): Frame {
    return {
      ...this.makeBrief(parts),
      peaks: parts.peaks(),
      heap: this.#heapUse(),
      scopes: this.#rows(parts.reading.at, parts.standingOf()),
      scopeCount: this.#bytes.count,
      kinds: this.#kinds(),
    };
  }

  makeBrief(parts: FrameParts): BriefFrame {
    const { binding } = parts.limits;
    const {
      standingOf: _,
      peaks: _peaks,
      limits: _limits,
      resume,
      workers = [],
      stageRuns = [],
      ...rest
    } = parts;
    const keepers = keeperRows();
    const traces = tracesOf(parts);
    return {
      ...this.#identity,
      ...rest,
      ...(resume === undefined ? {} : { resume }),
      ...(traces === undefined ? {} : { traces }),
      ...(stageRuns.length === 0 ? {} : { stageRuns }),
      ...(workers.length === 0 ? {} : { workers: workers.slice(0, mostWorkers) }),
      at: parts.reading.at,
      limits: {
        bytes: binding.bytes,
        source: binding.source,
        text: describeBinding(parts.limits),
      },
      unattributedBytes: this.#bytes.unattributedBytes ?? null,
      keepers: keepers.slice(0, mostKeepers),
      keeperCount: keepers.length,
      delegation: delegationRow(),
    };
  }

  #rows(now: number, standingOf: ReturnType<FrameParts['standingOf']>): readonly ScopeRow[] {
    const rows = this.#bytes.heaviest(mostRows).map((record) => ({
      path: record.path,
      kind: record.kind,
      bytes: this.#bytes.of(record),
      by: this.#bytes.knownBy(record),
      measuredAt: this.#bytes.measuredAt(record, now),
      spread: this.#bytes.spreadOf(record),
      peakBytes: this.#bytes.peakOf(record),
      ageMs: Math.max(0, now - record.openedAt),
      idleMs: record.idleMs,
      leases: record.leases,
      ...standingOf(record),
    }));
    const unattributed = this.#unattributed(now);
    return unattributed === undefined ? rows : [...rows, unattributed];
  }

  /** Live bytes in no scope or keeper, as a row of its own. It has no owner and no budget. */
  #unattributed(now: number): ScopeRow | undefined {
    const bytes = this.#bytes.unattributedBytes;
    if (bytes === undefined) return undefined;
    const ageMs = Math.max(0, now - this.#identity.startedAt);
    this.#unattributedPeak = Math.max(this.#unattributedPeak, bytes);
    return {
      path: 'process/unattributed',
      kind: 'unattributed',
      bytes,
      by: 'census',
      measuredAt: now,
      spread: null,
      peakBytes: this.#unattributedPeak,
      ageMs,
      idleMs: 0,
      leases: 0,
      level: 'normal',
      budgetBytes: null,
    };
  }

  #kinds(): Frame['kinds'] {
    const kinds = new Map<string, { kind: string; open: number; opened: number; bytes: number }>();
    for (const total of this.#roster.closedTotals()) {
      if (total.kind === 'process') continue;
      const row = kinds.get(total.kind) ?? { kind: total.kind, open: 0, opened: 0, bytes: 0 };
      row.opened += total.opened;
      row.open += total.opened - total.closed;
      kinds.set(total.kind, row);
    }
    for (const row of kinds.values()) row.bytes = this.#bytes.ofKind(row.kind);
    return [...kinds.values()].sort((a, b) => b.bytes - a.bytes || b.opened - a.opened);
  }

  /** This heap as V8 keeps it. Reading it takes microseconds at any heap size. */
  #heapUse(): HeapUse {
    const { heap_size_limit: limitBytes, number_of_detached_contexts: detachedContexts } =
      v8.getHeapStatistics();
    const use = { physicalBytes: 0, usedBytes: 0, codeBytes: 0 };
    const spaces: HeapSpaceRow[] = [];
    for (const space of v8.getHeapSpaceStatistics()) {
      spaces.push({
        name: space.space_name,
        usedBytes: space.space_used_size,
        sizeBytes: space.space_size,
        availableBytes: space.space_available_size,
        physicalBytes: space.physical_space_size,
      });
      use.physicalBytes += space.physical_space_size;
      use.usedBytes += space.space_used_size;
      if (space.space_name.startsWith('code')) use.codeBytes += space.space_used_size;
    }
    const oldSpaceBytes = this.#oldSpaceBytes;
    // V8 reserves three semi-spaces beside old space.
    const semiSpaceBytes = Math.max(0, limitBytes - oldSpaceBytes) / 3;
    const generations = { ...this.#generations.read(), semiSpaceBytes, oldSpaceBytes };
    return { ...use, limitBytes, detachedContexts, spaces, generations };
  }
}

/** The spans of the scopes that a frame mentions; undefined when no span was noted. */
function tracesOf({ findings, levels, governance }: FrameParts): Frame['traces'] {
  const found: Record<string, TraceRef> = {};
  for (const { scope } of [...findings, ...levels, ...governance.actions]) {
    const ref = found[scope] === undefined ? traceOf(scope) : undefined;
    if (ref !== undefined) found[scope] = ref;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}
