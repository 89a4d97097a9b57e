import { releaseOf } from '@plimsoll/core/internal/release';
import { roster } from '@plimsoll/core/internal/scope/index';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import { endsInMs } from '@plimsoll/core/internal/sense/limits';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { controlsOf } from './control/controls.ts';
import { FeedPart } from './feed/feed.ts';
import { hostname } from 'node:os';
import { Successor } from './handover/successor.ts';
import { AdaptersPart } from './parts/adapters.ts';
import { HealthPart } from './parts/alerts/health.ts';
import { BlackBoxPart } from './parts/black-box/black-box.ts';
import { DeadBoxesPart } from './parts/black-box/dead-boxes.ts';
import { LateAlerts } from './parts/alerts/late-alerts.ts';
import { ApprovalsPart } from './parts/approvals/approvals.ts';
import { Entrance } from './parts/entrance/entrance.ts';
import { GovernorPart } from './parts/govern/governor.ts';
import type { PolicyGuard } from './parts/govern/rollback.ts';
import { History } from './parts/history/history.ts';
import { LedgerPart } from './parts/history/ledger.ts';
import { IncidentsPart } from './parts/incidents.ts';
import { addingSites, LastWordsPart } from './parts/last-words.ts';
import { LeakPart } from './parts/leak.ts';
import type { HostModules } from './parts/modules.ts';
import type { Part } from './parts/part.ts';
import { FleetPolicyPart, fleetQuestion } from './parts/fleet-policy.ts';
import { PolicyPart } from './parts/policy.ts';
import { ScopesPart } from './parts/scopes/scopes.ts';
import { SensorPart } from './parts/sensor.ts';
import type { HostSettings } from './parts/settings.ts';
import type { LastWords } from './protocol/last-words.ts';
import { StagesPart } from './parts/stages.ts';
import { WorkersPart } from './parts/workers.ts';

/** The arguments of every part's constructor function. */
interface HostContext {
  readonly settings: HostSettings;
  readonly modules: HostModules;
  readonly startedAt: number;
  /** Hands a reading to every part. */
  readonly take: (reading: Reading) => void;
  /** Puts a policy in force in every part. */
  readonly swap: (policy: Policy) => void;
}

/** The parts of a host by name. Each is made when it is first asked for. */
export interface HostParts {
  readonly policy: PolicyPart;
  readonly ledger: LedgerPart;
  readonly scopes: ScopesPart;
  readonly governor: GovernorPart;
  readonly approvals: ApprovalsPart;
  /** With a policy file, or a fleet that may send a policy. */
  readonly guard: PolicyGuard | undefined;
  readonly history: History;
  /** With a database of the fleet. */
  readonly fleetPolicy: FleetPolicyPart | undefined;
  readonly alerts: LateAlerts;
  readonly entrance: Entrance;
  readonly adapters: AdaptersPart;
  readonly leak: LeakPart;
  readonly incidents: IncidentsPart;
  readonly health: HealthPart;
  readonly workers: WorkersPart;
  readonly stages: StagesPart;
  readonly blackBox: BlackBoxPart;
  readonly lastWords: LastWordsPart;
  /** With a database of the fleet. */
  readonly deadBoxes: DeadBoxesPart | undefined;
  readonly feed: FeedPart;
  readonly sensor: SensorPart;
}

type PartList = {
  readonly [Name in keyof HostParts]: (parts: HostParts, context: HostContext) => HostParts[Name];
};

/**
 * The host: its parts in the order in which they start, take a reading and exit. They stop in the opposite order. To add a part, add its
 * type above and its row here. The compiler reports a missing one.
 */
export const partList: PartList = {
  // First, because every other part reads the policy.
  policy: (parts, { settings, modules }) =>
    new PolicyPart(settings, modules, (body) => parts.history.note('policy', body)),

  // Before every part that writes into it, and stopped after them. Its start writes the first entry of the run.
  ledger: (parts, { settings }) =>
    new LedgerPart(
      settings,
      { inForce: parts.policy.inForce, own: parts.policy.own },
      () => parts.sensor.sampler.limits,
      () => parts.approvals.desk(),
      () => ({
        forecast: parts.leak.forecast === null ? null : { ...parts.leak.forecast },
        mode: parts.governor.governor.mode,
        policyVersion: parts.policy.fleetVersion,
      }),
    ),

  // Before the governor, which compares what scopes hold with their budgets.
  scopes: (parts, { modules }) => new ScopesPart(parts.sensor.sampler.self, modules.recorder),

  // Before every part that reads the level.
  governor: (parts, { settings, modules }) =>
    new GovernorPart({
      policy: parts.policy.inForce,
      dir: settings.dir,
      bytes: parts.scopes.bytes,
      sampler: () => parts.sensor.sampler,
      frame: () => parts.feed.frame,
      forecast: () => parts.leak.forecast,
      entrance: () => parts.entrance,
      recorder: modules.recorder,
      acting: parts.policy.mayAct ? modules.acting : undefined,
      onLevel: (change) => {
        parts.history.level(change);
        parts.approvals.levelChanged(change);
      },
    }),

  // After the governor, whose levels open and close tickets. Before history, so that on exit lost tickets are written before the exit.
  approvals: (parts, { modules }) =>
    new ApprovalsPart(
      parts.policy.mayAct ? modules.acting?.approvalsOf : undefined,
      parts.governor.governor,
      parts.ledger.ledger,
      parts.governor.governance.parts,
    ),

  // After the parts that enforce the policy, because it judges the effect of the policy at this reading.
  guard: (parts, { settings, modules, swap }) =>
    parts.policy.mayAct && modules.acting !== undefined
      ? new modules.acting.PolicyGuard({
          policy: parts.policy.inForce,
          ledgerDir: settings.ledgerDir,
          roster,
          governor: parts.governor.governor,
          ledger: parts.ledger.ledger,
          apply: swap,
          follow: parts.policy.follow,
        })
      : undefined,

  // After the governor and the guard, so that a sample has the level of its own reading.
  history: (parts) =>
    new History({
      ledger: parts.ledger.ledger,
      bytes: parts.scopes.bytes,
      level: () => parts.governor.governor.level,
      followPolicy: parts.policy.follow,
      exitReason: () => parts.entrance.exitReason,
    }),

  // After the guard and history, which are told of each new policy of the fleet.
  fleetPolicy: (parts, { settings }) => {
    const fleet = parts.ledger.fleet?.options;
    if (fleet === undefined || !parts.policy.mayAct) return undefined;
    return new FleetPolicyPart({
      dir: settings.dir,
      // A pod keeps its host name and its folder over restarts. So a roll-out to a share of the fleet keeps the same pods.
      ...fleetQuestion(fleet.url, fleet.identity.service, `${hostname()}:${settings.dir}`),
      changed: (file) => parts.policy.useFleet(file),
      refused: (text) => process.emitWarning(text, { type: 'PlimsollWarning' }),
    });
  },

  // Before the entrance, which tells the alerts how the previous life ended.
  alerts: (parts, { settings }) =>
    new LateAlerts({
      policy: parts.policy.inForce,
      dir: settings.dir,
      target: settings.target,
      history: parts.history,
      governor: parts.governor.governor,
      desk: () => parts.approvals.desk(),
      recorded: () => parts.ledger.recorded(),
      ...(parts.ledger.fleet !== undefined && {
        mayTell: (fingerprint: string) => parts.ledger.fleet?.mayTell(fingerprint) ?? Promise.resolve(true),
      }),
    }),

  // After the governor, whose level decides which work is admitted.
  entrance: (parts, { settings, modules }) =>
    new Entrance({
      dir: settings.dir,
      ...(modules.link !== undefined && { successor: new Successor(settings.dir, modules.link) }),
      takesOver: settings.takesOver,
      incident: () => parts.incidents.continued,
      governor: parts.governor.governor,
      scopes: () => parts.scopes.bytes.open,
      history: parts.history,
      endsInMs: () => {
        const { limits, latest } = parts.sensor.sampler;
        return latest && endsInMs(limits, latest.pressures, parts.leak.forecast?.bytesPerHour ?? 0);
      },
      onResume: (resume) => parts.alerts.resumed(resume),
    }),

  // After the entrance, which answers the requests that are refused.
  adapters: (parts) => new AdaptersPart(parts.policy.inForce),

  // After the scopes, whose survivors it counts. Before the feed, so that a frame has the findings of its own reading.
  leak: (parts, { settings, modules, startedAt }) =>
    new LeakPart({
      settings,
      modules,
      self: parts.sensor.sampler.self,
      budgetBytes: parts.sensor.sampler.limits.binding.bytes,
      attributedBytes: () => parts.scopes.chargedBytes,
      history: async () => {
        const { earlierCurve } = await import('./parts/history/earlier-runs.ts');
        return earlierCurve(settings.ledgerDir, settings.target, startedAt);
      },
      onScopes: (scopes, at) => parts.scopes.calibrate(scopes, at),
      onFinding: (finding) => parts.history.finding(finding),
    }),

  // After the leak part and the entrance, whose findings and refusals open an incident. Before the feed, which shows it.
  incidents: (parts) =>
    new IncidentsPart({
      facts: () => {
        const { governor, governance } = parts.governor;
        const { state, refused } = admission().standing();
        return {
          level: governor.level,
          mode: governor.mode,
          findings: parts.leak.findings,
          forecast: parts.leak.forecast,
          admission: { state, refused },
          waiting: governance.approvals.filter(({ state }) => state === 'open').map(({ id }) => id),
          restart: parts.entrance.restartStage,
        };
      },
      before: () => parts.entrance.incidentBefore,
      isRestart: () => parts.entrance.exitReason !== undefined,
      note: (body) => parts.history.note('incident', body),
    }),

  // After the leak part, whose survivors it counts.
  health: (parts) =>
    new HealthPart({
      gcEffectiveness: () => parts.governor.governance.gc.ratio,
      findings: () => parts.leak.findings,
    }),

  // Before the feed, which shows them.
  workers: (_parts, { modules }) => new WorkersPart(modules.workers),

  // Before the feed, which shows them. After history, which writes the rows of trackers.
  stages: (parts) => new StagesPart((body) => parts.history.note('stage', body)),

  // After the governor and the incidents, whose level and headline it writes. Before the feed, which takes longer.
  blackBox: (parts, { settings, startedAt }) =>
    new BlackBoxPart({
      dir: settings.dir,
      release: settings.release ?? releaseOf(process.env, process.argv[1]),
      target: settings.target,
      startedAt,
      facts: () => {
        const { governor, governance } = parts.governor;
        const { bytes } = parts.scopes;
        return {
          level: governor.level,
          source: parts.sensor.sampler.limits.binding.source,
          scopes: bytes.heaviest(6).map((scope) => ({ path: scope.path, bytes: bytes.of(scope) })),
          refused: admission().counts().refused,
          actions: governance
            .actions(governor)
            .filter(({ outcome }) => outcome === 'running')
            .map(({ action }) => action),
          incident: parts.incidents.newest?.headline ?? null,
          fingerprint: parts.incidents.newest?.findings[0]?.slice(0, 64) ?? null,
        };
      },
      open: openByKind,
      exitReason: () => parts.entrance.exitReason,
    }),

  // After the leak part, whose forecast says that death is near.
  lastWords: (parts, { settings, modules }) =>
    new LastWordsPart({
      dir: settings.dir,
      level: () => parts.governor.governor.level,
      forecastMs: () => parts.leak.forecast?.ms ?? null,
      scopes: () => {
        const { bytes } = parts.scopes;
        return bytes.heaviest(10).map((scope) => ({ path: scope.path, bytes: bytes.of(scope) }));
      },
      sites: () => addingSites(modules.recorder?.record.sites),
      containers: () => modules.recorder?.record.containers ?? [],
      isSnapshotWanted: settings.isSnapshotWanted === true,
      ...(parts.ledger.fleet !== undefined && {
        // The folder of a lost pod is gone, so these words go to the fleet while the process lives.
        said: (words: LastWords) =>
          void parts.ledger.note('last-words', { pid: process.pid, ...words }).catch(() => undefined),
      }),
    }),

  // After the black box, which renames the box of an earlier process with the same process id.
  deadBoxes: (parts, { settings }) =>
    parts.ledger.fleet === undefined
      ? undefined
      : new DeadBoxesPart({
          dir: settings.dir,
          write: (record) => parts.ledger.note('black-box', { ...record }),
        }),

  // After every part that has something to show.
  feed: (parts, { settings, modules, startedAt }) =>
    new FeedPart({
      settings,
      startedAt,
      bytes: parts.scopes.bytes,
      self: parts.sensor.sampler.self,
      level: () => parts.governor.governor.level,
      controls: controlsOf({
        dir: settings.dir,
        bytes: parts.scopes.bytes,
        governor: parts.governor.governor,
        sampler: parts.sensor.sampler,
        guard: parts.guard,
        desk: () => parts.approvals.desk(),
        router: async () => (await parts.alerts.load()).router,
        hand: () => parts.governor.hand(),
        recorded: () => parts.ledger.recorded(),
      }),
      facts: () => {
        const { governor, governance, levels } = parts.governor;
        const { health } = parts.ledger.ledger;
        return {
          limits: parts.sensor.sampler.limits,
          levels: levels.rows,
          findings: parts.leak.findings,
          forecast: parts.leak.forecast,
          incident: parts.incidents.newest,
          growth: modules.recorder?.record ?? null,
          governance: governance.row(governor),
          gcEffectiveness: governance.gc.ratio,
          resume: parts.entrance.resume,
          peaks: () => parts.scopes.peaks.rows,
          workers: parts.workers.rows,
          stageRuns: parts.stages.rows,
          policy: parts.policy.row(governor.mode, parts.guard?.givenUp ?? null),
          ledger: {
            dir: settings.ledgerDir,
            droppedSamples: health.samples.dropped,
            fault: health.lastError ?? null,
          },
          standingOf: () => parts.governor.standings(),
        };
      },
    }),

  // Last: its start takes the first reading, which goes to every part above. It stops first, so that no part takes a reading after its end.
  sensor: (parts, { take }) =>
    new SensorPart({
      policy: parts.policy.inForce,
      isActing: parts.policy.mayAct,
      // While a level is raised or may rise, every second counts.
      mayRest: () => parts.governor.governor.isCalm,
      unattributed: (floorBytes) => parts.scopes.unattributed(floorBytes),
      onReading: take,
    }),
};

const mostKinds = 8;

/** Open scopes by kind, without walking them. */
function openByKind(): Readonly<Record<string, number>> {
  const open: Record<string, number> = {};
  for (const { kind, opened, closed } of roster.closedTotals()) {
    if (kind === 'process' || (!(kind in open) && Object.keys(open).length >= mostKinds)) continue;
    open[kind] = (open[kind] ?? 0) + opened - closed;
  }
  return open;
}

/** Makes every part of a host. A part that is needed by another one is made before it, wherever it stands in the list. */
export function makeParts(context: HostContext, made: Map<keyof HostParts, Part | undefined>): HostParts {
  const parts = {} as HostParts;
  const names = Object.keys(partList) as (keyof HostParts)[];
  for (const name of names) {
    const get = (): Part | undefined => {
      if (!made.has(name)) made.set(name, partList[name](parts, context));
      return made.get(name);
    };
    Object.defineProperty(parts, name, { get });
  }
  for (const name of names) void parts[name];
  return parts;
}
