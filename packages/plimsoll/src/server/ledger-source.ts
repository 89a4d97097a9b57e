import { failure } from '@plimsoll/core/internal/errors';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { explain } from '@plimsoll/govern/internal/policy/explain';
import { readPolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import { policyInForce } from '@plimsoll/host/protocol';
import type { ActAnswer, PolicyInForce } from '@plimsoll/host/protocol/answers';
import type { ApprovalRow, Frame } from '@plimsoll/host/protocol/frame';
import type { Explanation, ProcessRow, SnapshotAnswer } from '@plimsoll/host/protocol/api';
import type { LedgerDesk } from './ledger/ledger-desk.ts';
import { isSettled } from './ledger/settled.ts';
import type { Listener, Source } from './source.ts';
import { ScopeFeed } from './stream/scope-feed.ts';
import type { AllScopes } from './scope-page.ts';

/** A frame that is older than this is made again. */
const freshMs = 2000;

/** An ended process, read from its ledger. */
export class LedgerSource implements Source {
  readonly process: ProcessRow;
  readonly ledgerDir: string;
  readonly run: number;
  readonly table = new ScopeFeed();
  readonly #desk: LedgerDesk;
  #kept: { readonly frame: Frame; readonly until: number } | undefined;

  constructor(desk: LedgerDesk, ledgerDir: string, row: ProcessRow) {
    this.#desk = desk;
    this.ledgerDir = ledgerDir;
    this.process = row;
    this.run = Number(row.id.slice('run-'.length));
  }

  async frame(): Promise<Frame> {
    if (this.#kept !== undefined && performance.now() < this.#kept.until) return this.#kept.frame;
    const frame = await this.#desk.ask(this.ledgerDir, 'frame', { run: this.run });
    if (frame === null) throw failure('PLM_SERVER_NO_PROCESS', { dir: this.ledgerDir, id: this.process.id });
    if (this.process.state !== 'running') {
      const until = isSettled(frame.at) ? Number.POSITIVE_INFINITY : performance.now() + freshMs;
      this.#kept = { frame, until };
    }
    return frame;
  }

  async scopes(): Promise<AllScopes> {
    const { at, scopes } = await this.frame();
    return { at, rows: scopes };
  }

  async approvals(): Promise<readonly ApprovalRow[]> {
    return (await this.frame()).governance.approvals;
  }

  decide(): Promise<ApprovalRow> {
    return Promise.reject(failure('PLM_SERVER_NOT_LIVE', { what: 'a decision' }));
  }

  async policy(): Promise<PolicyInForce | null> {
    const frame = await this.frame();
    const policy = policyOf(frame);
    return policy === undefined ? null : policyInForce(policy, frame.limits.bytes || undefined);
  }

  async explain(scope: string): Promise<Explanation> {
    const frame = await this.frame();
    const policy = policyOf(frame);
    if (policy === undefined)
      throw failure('PLM_SERVER_NOT_LIVE', { what: 'an explanation without its policy file' });
    return explain(policy, scope, frame.limits.bytes || undefined);
  }

  snapshot(): Promise<SnapshotAnswer> {
    return Promise.reject(failure('PLM_SERVER_NOT_LIVE', { what: 'a heap snapshot' }));
  }

  act(): Promise<ActAnswer> {
    return Promise.reject(failure('PLM_SERVER_NOT_LIVE', { what: 'an action' }));
  }

  takeSnapshot(): Promise<SnapshotAnswer> {
    return this.snapshot();
  }

  /** Sends one frame and all scopes. After that it only sends entries that the supervisor adds to the ledger. */
  listen(listener: Listener): () => void {
    let timer: NodeJS.Timeout | undefined;
    let isOpen = true;
    let told: string | undefined;
    const look = async (): Promise<void> => {
      const frame = await this.frame();
      if (!isOpen) return;
      const findings = JSON.stringify(frame.findings);
      if (told === undefined) this.table.apply(frame.scopes, [], Date.now(), true);
      if (findings !== told) listener.onFrame(frame);
      if (told === undefined) listener.onScopes();
      told = findings;
      if (!isSettled(frame.at)) timer = setTimeout(() => void look().catch(gone), freshMs).unref();
    };
    const gone = (): void => {
      if (isOpen) listener.onGone();
    };
    look().catch(gone);
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }
}

/** The policy file that the process named at its start, in its current state; undefined when the file is gone. */
function policyOf({ policy }: Frame): Policy | undefined {
  if (policy.file === null || policy.file === builtInPolicy.file) return builtInPolicy;
  try {
    return readPolicyFile(policy.file);
  } catch {
    return undefined;
  }
}
