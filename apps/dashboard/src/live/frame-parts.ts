import type {
  DelegationRow,
  Finding,
  Forecast,
  Frame,
  KeeperRow,
  StageRunRow,
} from '@plimsoll/host/protocol/frame';

/** The forecast of the process. null when no growth is certain, and for processes of older versions. */
export function forecastOf(frame: Frame): Forecast | null {
  return frame.forecast ?? null;
}

export function keepersOf(frame: Frame): readonly KeeperRow[] {
  return frame.keepers ?? [];
}

/** The stages of the newest tracked runs. */
export function stageRunsOf(frame: Frame): readonly StageRunRow[] {
  return frame.stageRuns ?? [];
}

export function delegationOf(frame: Frame): DelegationRow | null {
  return frame.delegation ?? null;
}

/** Objects that should be gone and are not. */
interface SurvivorCount {
  readonly count: number;
  /** 0 while they are not measured. */
  readonly bytes: number;
  readonly worst: Finding | undefined;
}

export function survivorsOf({ findings }: Frame): SurvivorCount {
  const found = findings.filter((finding) => finding.kind === 'survivor');
  return {
    count: found.reduce((sum, finding) => sum + finding.count, 0),
    bytes: found.reduce((sum, finding) => sum + finding.bytes, 0),
    worst: found[0],
  };
}
