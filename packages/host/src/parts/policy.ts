import { channel } from 'node:diagnostics_channel';
import type { PlimsollError } from '@plimsoll/core';
import type { Trouble } from '@plimsoll/govern/internal/health/trouble';
import { troubleChannelName } from '@plimsoll/govern/internal/health/trouble';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { PolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
import type { Frame } from '../protocol/frame.ts';
import type { HostModules } from './modules.ts';
import type { Part } from './part.ts';
import type { HostSettings } from './settings.ts';

const troubleChannel = channel(troubleChannelName);

/** The policy that is in force, and the file it came from. Without a file it is the built-in one, which observes. */
export class PolicyPart implements Part {
  readonly #settings: HostSettings;
  readonly #record: (body: Readonly<Record<string, string>>) => void;
  readonly #file: PolicyFile | undefined;
  #inForce: Policy;
  #fault: { readonly text: string; readonly since: number } | null = null;

  /** `record` writes into the ledger that the file was refused, and that it was mended. */
  constructor(
    settings: HostSettings,
    { acting }: HostModules,
    record: (body: Readonly<Record<string, string>>) => void,
  ) {
    this.#settings = settings;
    this.#record = record;
    this.#file = this.#read(acting);
    this.#inForce = this.#file?.current ?? builtInPolicy;
  }

  /** The policy that every part goes by. After a rollback it is not the file's. */
  get inForce(): Policy {
    return this.#inForce;
  }

  /** True when a policy file was read at the start. */
  get hasFile(): boolean {
    return this.#file !== undefined;
  }

  start(): void {}

  /** Calls the listener with each new text of the file, until what it returns is called. */
  readonly follow = (onText: (policy: Policy) => void): (() => void) =>
    this.#file?.onSwap(onText) ?? (() => undefined);

  swap(policy: Policy): void {
    this.#inForce = policy;
  }

  stop(): void {
    this.#file?.close();
  }

  row(mode: string, givenUp: string | null): Frame['policy'] {
    return {
      file: this.#settings.policyFile ?? null,
      mode,
      revision: this.#file === undefined ? null : this.#inForce.revision,
      fault: this.#fault?.text ?? null,
      faultSince: this.#fault?.since ?? null,
      givenUp,
    };
  }

  #read(acting: HostModules['acting']): PolicyFile | undefined {
    const file = this.#settings.policyFile;
    if (file === undefined || acting === undefined) return undefined;
    try {
      return new acting.PolicyFile(file, {
        onRefused: (error) => this.#refused(error),
        onMended: () => this.#mended(),
      });
    } catch (error) {
      // "run" has checked the file. What happened to it since must not stop the program.
      this.#fault = { text: (error as Error).message, since: Date.now() };
      process.emitWarning(String(error), { type: 'PlimsollWarning' });
      return undefined;
    }
  }

  /** One line on stderr, one entry in the ledger and one alert; the frame says it until the file is mended. */
  #refused(error: PlimsollError): void {
    const { message, where, fix, code } = error;
    this.#fault = { text: message, since: this.#fault?.since ?? Date.now() };
    process.emitWarning(`${message} (fix: ${fix})`, { type: 'PlimsollWarning', code });
    this.#record({ event: 'refused', file: where, text: message });
    troubleChannel.publish({
      name: 'memory.policy',
      level: 'warning',
      summary: message,
      fix,
    } satisfies Trouble);
  }

  #mended(): void {
    this.#fault = null;
    const text = 'the policy file can be used again.';
    this.#record({ event: 'mended', file: this.#settings.policyFile ?? '', text });
    troubleChannel.publish({ name: 'memory.policy', level: 'warning', summary: null } satisfies Trouble);
  }
}
