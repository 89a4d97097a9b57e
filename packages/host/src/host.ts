import { writeFileSync } from 'node:fs';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { roster } from '@plimsoll/core/internal/scope/index';
import type { Scope } from '@plimsoll/core';
import type { HistoryCurve } from '@plimsoll/leak/internal/judge/waterline/history-curve';
import { Governor } from '@plimsoll/govern/internal/level/governor';
import { budgetFor } from '@plimsoll/govern/internal/policy/budget';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { installHeldGate } from '@plimsoll/core/internal/gate/approval';
import { limitPolicyOf } from '@plimsoll/govern/internal/level/limit-policy';
import type { ActionRecord } from '@plimsoll/govern/internal/actions/action';
import type { LevelChange } from '@plimsoll/govern/internal/level/level-change';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { PolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
import { Census } from '@plimsoll/core/internal/sense/census/census';
import { Sampler } from '@plimsoll/core/internal/sense/sampler';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { openLedger } from '@plimsoll/ledger/write';
import type { Ledger } from '@plimsoll/ledger';
import type { ControlOps } from './protocol/control.ts';
import { removeDescriptor, socketPath, writeDescriptor } from './protocol/descriptor.ts';
import { FeedServer } from './feed/feed-server.ts';
import type { Frame } from './protocol/frame.ts';
import { lastFrameFile } from './protocol/last-frame.ts';
import type { HostApprovals } from './approvals.ts';
import { AuditWatch } from '@plimsoll/leak/internal/audit/audit-watch';
import { lateOps } from './control/late-ops.ts';
import { registerControl } from './control/registry.ts';
import { LeakWatch } from '@plimsoll/leak/internal/leak-watch';
import { Entrance } from './entrance.ts';
import { FindingLog } from '@plimsoll/leak/internal/findings/finding-log';
import { FrameMaker } from './frame-maker.ts';
import { Governance } from './governance.ts';
import type { ScopeStanding } from './frame-maker.ts';
import { heapUse } from './heap-use.ts';
import { History } from './history.ts';
import { LateAlerts } from './late-alerts.ts';
import { LevelLog } from './level-log.ts';
import { openGate } from './open-gate.ts';
import { loadParts } from './parts.ts';
import type { HostParts } from './parts.ts';
import { PeakList } from './peak-list.ts';
import { Proving } from '@plimsoll/leak/internal/proof/proving';
import type { PolicyGuard } from './rollback.ts';
import { ScopeBytes } from './scope-bytes.ts';
import type { GrowthRecorder } from '@plimsoll/leak/internal/proof/growth-recorder';
import type { HostSettings } from './settings.ts';
import { Watermark } from './watermark.ts';

/** Heap that the modules of the host keep beside those of core, built, without a policy and with one; test/integration/footprint.test.ts bounds it. */
const watchingBytes = 2_900_000;
const actingBytes = 5_700_000;

/**
 * Plimsoll inside one process: sampler, census, governor, ledger and feed, tied together.
 * Every part may fail without the others: what is missing is said in the frame, and the program goes on.
 */
export class Host implements Disposable {
  readonly #settings: HostSettings;
  readonly #parts: HostParts;
  readonly #recorder: GrowthRecorder | undefined;
  readonly #startedAt = Date.now();
  readonly #policyFile: PolicyFile | undefined;
  readonly #sampler: Sampler;
  readonly #census: Census;
  readonly #bytes: ScopeBytes;
  readonly #governor: Governor;
  readonly #governance: Governance;
  readonly #guard: PolicyGuard | undefined;
  readonly #alerts: LateAlerts;
  readonly #ledger: Ledger;
  readonly #history: History;
  readonly #entrance: Entrance;
  readonly #feed: FeedServer;
  readonly #frames: FrameMaker;
  readonly #detection: LeakWatch;
  readonly #auditing: AuditWatch;
  readonly #proving: Proving;
  readonly #levels = new LevelLog();
  readonly #peaks = new PeakList();
  readonly #watermark = new Watermark();
  readonly #findings = new FindingLog((finding) => this.#history.finding(finding));
  readonly #onExit = (code: number): void => this.#exit(code);
  readonly #onAction = (record: unknown): void => this.#history.action(record as ActionRecord);
  /** There with a policy, or once somebody asks for it. */
  #approvals: HostApprovals | undefined;
  #closeGate: (() => void) | undefined;
  #policyFault: string | null = null;
  #feedFault: string | null = null;
  #stopped = false;

  constructor(settings: HostSettings, parts: HostParts) {
    const { recorder, audit } = parts;
    this.#settings = settings;
    this.#parts = parts;
    this.#recorder = recorder;
    this.#policyFile = this.#readPolicy();
    const acting = this.#policyFile && parts.acting;
    const policy = this.#policyFile?.current ?? builtInPolicy;
    this.#sampler = new Sampler({
      policy: limitPolicyOf(policy),
      ...rhythmOf(policy),
      scopes: () => roster.count - 1,
      unattributed: (floor) => this.#census.unattributed(floor),
    });
    this.#census = new Census({ roster, self: this.#sampler.self });
    const hostBytes = acting === undefined ? watchingBytes : actingBytes;
    this.#sampler.self.retains('host', () => hostBytes);
    this.#bytes = new ScopeBytes(roster, this.#census);
    this.#governance = new Governance();
    const levers = acting?.leversOf({
      dir: settings.dir,
      bytes: this.#bytes,
      hurry: (forMs) => this.#sampler.hurry(forMs),
      frame: () => this.frame,
      recorder,
      parts: this.#governance.parts,
    });
    this.#governor = new Governor({
      policy,
      ...(acting && levers && { ladder: new acting.Ladder({ policy, clock: systemClock, levers }) }),
      scopes: () => roster.open,
      bytesOf: (scope) => this.#bytes.of(scope),
    });
    // Before the ledger is opened: its own exit handler then still takes the exit entry.
    process.on('exit', this.#onExit);
    this.#ledger = openLedger({
      dir: settings.ledgerDir,
      retention: {
        rawMs: policy.retention.rawMs,
        minuteMs: policy.retention.minuteMs,
        hourMs: policy.retention.hourMs,
      },
      maxBytes: policy.retention.maxBytes,
    });
    this.#history = new History(this.#ledger, this.#bytes);
    this.#entrance = new Entrance({
      dir: settings.dir,
      governor: this.#governor,
      scopes: () => this.#bytes.open,
      history: this.#history,
    });
    this.#governance.parts.restart = this.#entrance.restart;
    this.#approvals = acting?.approvalsOf(this.#governor, this.#ledger, this.#governance.parts);
    this.#alerts = new LateAlerts({
      policy,
      dir: settings.dir,
      target: settings.target,
      history: this.#history,
      governor: this.#governor,
      desk: async () => (await this.#desk()).desk,
    });
    // After all that a policy is put in force in: one that was given up before a restart is replaced here.
    this.#guard = acting && this.#guardOf(acting, policy);
    this.#feed = new FeedServer(socketPath(settings.dir, process.pid));
    registerControl(this.#feed, this.#controls());
    this.#detection = new LeakWatch({
      roster,
      budgetBytes: this.#sampler.limits.binding.bytes,
      attributedBytes: () => this.#attributed(),
      history: () => this.#earlierCurve(),
      mayProbe: settings.maxPauseMs !== undefined && settings.maxPauseMs > 0,
      onFinding: (finding) => this.#proving.found(finding),
    });
    this.#proving = new Proving({
      parts,
      dir: settings.dir,
      maxPauseMs: settings.maxPauseMs ?? 0,
      detection: this.#detection,
      findings: this.#findings,
    });
    this.#auditing = new AuditWatch(roster, audit, (finding) => this.#findings.publish(finding));
    this.#frames = new FrameMaker(
      { target: settings.target, startedAt: this.#startedAt },
      roster,
      this.#bytes,
    );
  }

  /** A host with what its settings need; it governs from `start` on. */
  static async load(settings: HostSettings, before?: Pick<HostParts, 'recorder' | 'audit'>): Promise<Host> {
    return new Host(settings, await loadParts(settings, before));
  }

  start(): void {
    this.#governor.onLevel((change) => this.#levelChanged(change));
    this.#policyFile?.onSwap((next) => this.#swap(next));
    subscribe('plimsoll:action', this.#onAction);
    this.#proving.start();
    if (this.#approvals === undefined) this.#closeGate = installHeldGate(openGate);
    else this.#approvals.start();
    this.#alerts.start();
    this.#openFeed();
    this.#history.start(this.#settings.target, this.#sampler.limits, this.#governor.policy);
    this.#entrance.start();
    this.#alerts.resumed(this.#entrance.resume);
    this.#sampler.onReading((reading) => this.#take(reading));
    this.#governor.start();
    this.#sampler.start();
    this.#census.start();
    this.#recorder?.hostIsLoaded();
  }

  /** Ends governing; the program goes on. Resolves when the ledger is on disk. */
  async stop(): Promise<void> {
    this[Symbol.dispose]();
    await this.#ledger.close();
  }

  [Symbol.dispose](): void {
    if (this.#stopped) return;
    this.#stopped = true;
    process.off('exit', this.#onExit);
    unsubscribe('plimsoll:action', this.#onAction);
    this.#sampler.stop();
    this.#census.stop();
    this.#entrance[Symbol.dispose]();
    this.#governor.stop();
    this.#closeGate?.();
    this.#approvals?.close();
    this.#alerts.close();
    this.#auditing.stop();
    this.#proving.stop();
    this.#policyFile?.close();
    this.#feed.close();
    removeDescriptor(this.#settings.dir, process.pid);
  }

  get frame(): Frame | undefined {
    const reading = this.#sampler.latest;
    return reading === undefined ? undefined : this.#frame(reading, false);
  }

  #readPolicy(): PolicyFile | undefined {
    const file = this.#settings.policyFile;
    const { acting } = this.#parts;
    if (file === undefined || acting === undefined) return undefined;
    try {
      return new acting.PolicyFile(file, { onRefused: (error) => (this.#policyFault = error.message) });
    } catch (error) {
      // The file was good when "run" read it; whatever happened since must not stop the program.
      this.#policyFault = (error as Error).message;
      process.emitWarning(String(error), { type: 'PlimsollWarning' });
      return undefined;
    }
  }

  #openFeed(): void {
    const { dir, target } = this.#settings;
    const fault = (error: Error): void => {
      this.#feedFault = error.message;
    };
    try {
      const socket = socketPath(dir, process.pid);
      writeDescriptor(dir, { pid: process.pid, target, startedAt: this.#startedAt, socket });
      this.#feed.listen(fault);
    } catch (error) {
      fault(error as Error);
    }
  }

  #take(reading: Reading): void {
    const { self } = this.#sampler;
    self.measure(() => {
      // Our own lists of open scopes are as old as the last reading: several collections since then have seen the same.
      if (reading.gc.major > 0) roster.noteMajorGc();
      if (reading.scopes > 0) this.#recorder?.scopesAreInUse();
      this.#refresh(reading.at);
      this.#bytes.reconcile(reading);
      this.#governance.gc.take(reading);
      this.#governor.tick(reading);
      this.#approvals?.tick();
      this.#guard?.take(reading);
      this.#entrance.take(reading);
      if (this.#governor.intervalMs < this.#governor.policy.signal.sampleMs) this.#sampler.hurry();
      this.#detection.take(reading);
      this.#auditing.take(reading);
      this.#proving.take(reading);
      this.#watermark.note(reading, this.#governor.level);
      this.#history.reading(reading, this.#governor.level);
      this.#feed.push(() => JSON.stringify(this.#frame(reading, false)));
    });
  }

  /** Bytes that keepers charged to open scopes: known, bounded, and no growth of the unknown. */
  #attributed(): number {
    return this.#bytes.open.reduce((sum, scope) => sum + scope.account.own, 0);
  }

  #refresh(at: number): void {
    this.#bytes.refresh();
    for (const scope of this.#bytes.open) this.#peaks.note(() => scope.path, this.#bytes.of(scope), at);
  }

  #levelChanged(change: LevelChange): void {
    const { at, scope, from, level, usedBytes, limitBytes, source } = change;
    this.#levels.add({ at, scope, from, level, usedBytes, limitBytes, source });
    this.#history.level(change);
    this.#approvals?.levelChanged(change);
  }

  #swap(next: Policy): void {
    this.#policyFault = null;
    this.#history.policy(next);
    this.#guard?.swapped(next);
  }

  /** Puts a policy in force: the file's, or what a rollback fell back to. */
  #put(next: Policy): void {
    this.#governor.setPolicy(next);
    this.#approvals?.setPolicy(next);
    this.#alerts.setPolicy(next);
    this.#sampler.setPolicy(limitPolicyOf(next));
    this.#sampler.setRhythm(rhythmOf(next));
  }

  #guardOf(acting: NonNullable<HostParts['acting']>, policy: Policy): PolicyGuard {
    const apply = (next: Policy): void => this.#put(next);
    return new acting.PolicyGuard({
      policy,
      ledgerDir: this.#settings.ledgerDir,
      roster,
      ledger: this.#ledger,
      apply,
    });
  }

  /** What can be asked for through the feed, each group loaded with the first question to it. */
  #controls(): ControlOps[] {
    const approvals = async (): Promise<ControlOps> => {
      const { approvalOps } = await import('./control/approvals.ts');
      const { approverFile } = await import('./approvals/approver-file.ts');
      return approvalOps((await this.#desk()).desk, approverFile(this.#settings.dir));
    };
    const rollback = async (): Promise<ControlOps> =>
      (await import('./control/policy.ts')).rollbackOps(() => this.#guard);
    const silences = async (): Promise<ControlOps> =>
      (await import('./control/silences.ts')).silenceOps((await this.#alerts.load()).router);
    const views = async (): Promise<ControlOps> =>
      (await import('./control/view-ops.ts')).viewOps(this.#bytes, this.#governor, this.#sampler);
    return [
      lateOps(['policy.rollback', 'policy.mode', 'policy.state'], rollback),
      lateOps(['silences'], silences),
      lateOps(['approvals.list', 'approvals.decide'], approvals),
      lateOps(['scopes', 'explain', 'policy'], views),
    ];
  }

  async #desk(): Promise<HostApprovals> {
    const { approvalsOf } = await import('./approvals.ts');
    this.#approvals ??= approvalsOf(this.#governor, this.#ledger, this.#governance.parts);
    return this.#approvals;
  }

  async #earlierCurve(): Promise<HistoryCurve> {
    const { earlierCurve } = await import('./earlier-runs.ts');
    return earlierCurve(this.#settings.ledgerDir, this.#settings.target, this.#startedAt);
  }

  #frame(reading: Reading, last: boolean): Frame {
    const policy = this.#governor.policy;
    const health = this.#ledger.health;
    const raised = new Map(this.#governor.raised().map((row) => [row.scope, row.level]));
    const limit = this.#sampler.limits.binding.bytes;
    const standingOf = (scope: Scope): ScopeStanding => ({
      level: raised.get(scope.path) ?? 'normal',
      budgetBytes: scope.budget ?? budgetFor(policy, scope.path, limit).own?.maxBytes ?? null,
    });
    return this.#frames.make({
      reading,
      level: this.#governor.level,
      limits: this.#sampler.limits,
      levels: this.#levels.rows,
      heap: heapUse(),
      findings: this.#findings.rows,
      growth: this.#recorder?.record ?? null,
      governance: this.#governance.row(this.#governor),
      gcEffectiveness: this.#governance.gc.ratio,
      resume: this.#entrance.resume,
      peaks: this.#peaks.rows,
      watermark: this.#watermark.values,
      policy: {
        file: this.#settings.policyFile ?? null,
        mode: this.#governor.mode,
        revision: this.#policyFile === undefined ? null : policy.revision,
        fault: this.#policyFault,
      },
      ledger: {
        dir: this.#settings.ledgerDir,
        droppedSamples: health.samples.dropped,
        fault: health.lastError ?? this.#feedFault,
      },
      standingOf,
      last,
    });
  }

  /** On exit nothing asynchronous runs any more: the last frame goes to a file, the exit entry to the ledger's last call. */
  #exit(code: number): void {
    try {
      this.#approvals?.close();
      this.#history.exit(code, this.#entrance.exitReason);
      const reading = this.#sampler.sample();
      if (reading !== undefined) {
        this.#refresh(reading.at);
        this.#auditing.conclude(reading);
        this.#watermark.note(reading, this.#governor.level);
        writeFileSync(
          lastFrameFile(this.#settings.dir, process.pid),
          JSON.stringify(this.#frame(reading, true)),
          { mode: 0o600 },
        );
      }
    } catch {
      // A full disk while exiting: the watcher has the frame before.
    }
    removeDescriptor(this.#settings.dir, process.pid);
  }
}

/** How often the policy wants readings. */
function rhythmOf({ signal }: Policy): { intervalMs: number; fastIntervalMs: number; staleAfterMs: number } {
  return { intervalMs: signal.sampleMs, fastIntervalMs: signal.fastMs, staleAfterMs: signal.staleMs };
}
