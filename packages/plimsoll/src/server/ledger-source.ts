import { failure } from '@plimsoll/core/errors';
import { builtInPolicy, explain, readPolicyFile } from '@plimsoll/core/policy';
import type { Policy } from '@plimsoll/core/policy';
import { policyInForce } from '../host/control/explain.ts';
import type { PolicyInForce } from '../host/control/explain.ts';
import type { ApprovalRow, Explanation, Frame, ProcessRow, ScopesAnswer } from './api.ts';
import type { LedgerDesk } from './ledger/ledger-desk.ts';
import type { Listener, Source } from './source.ts';
import { ScopeTable } from './stream/scope-table.ts';

/** A process that is gone, as its ledger tells it. */
export class LedgerSource implements Source {
  readonly process: ProcessRow;
  readonly ledgerDir: string;
  readonly run: number;
  readonly table = new ScopeTable();
  readonly #desk: LedgerDesk;
  #frame: Frame | undefined;

  constructor(desk: LedgerDesk, ledgerDir: string, row: ProcessRow) {
    this.#desk = desk;
    this.ledgerDir = ledgerDir;
    this.process = row;
    this.run = Number(row.id.slice('run-'.length));
  }

  async frame(): Promise<Frame> {
    if (this.#frame !== undefined) return this.#frame;
    const frame = await this.#desk.ask(this.ledgerDir, 'frame', { run: this.run });
    if (frame === null) throw failure('PLM_SERVER_NO_PROCESS', { dir: this.ledgerDir, id: this.process.id });
    if (this.process.state !== 'running') this.#frame = frame;
    return frame;
  }

  async scopes(): Promise<ScopesAnswer> {
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

  /** A ledger does not change any more: one frame, all scopes, and silence. */
  listen(listener: Listener): () => void {
    let isOpen = true;
    this.frame()
      .then((frame) => {
        if (!isOpen) return;
        this.table.apply(frame.scopes, [], Date.now(), true);
        listener.onFrame(frame);
        listener.onScopes();
      })
      .catch(() => {
        if (isOpen) listener.onGone();
      });
    return () => {
      isOpen = false;
    };
  }
}

/** The policy the process named at its start, as its file reads today; undefined when it is gone too. */
function policyOf({ policy }: Frame): Policy | undefined {
  if (policy.file === null || policy.file === builtInPolicy.file) return builtInPolicy;
  try {
    return readPolicyFile(policy.file);
  } catch {
    return undefined;
  }
}
