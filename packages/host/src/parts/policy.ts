import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { PolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
import type { Frame } from '../protocol/frame.ts';
import type { HostModules } from './modules.ts';
import type { Part } from './part.ts';
import type { HostSettings } from './settings.ts';

/** The policy that is in force, and the file it came from. Without a file it is the built-in one, which observes. */
export class PolicyPart implements Part {
  readonly #settings: HostSettings;
  readonly #file: PolicyFile | undefined;
  #inForce: Policy;
  #fault: string | null = null;

  constructor(settings: HostSettings, { acting }: HostModules) {
    this.#settings = settings;
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

  start(): void {
    this.#file?.onSwap(() => (this.#fault = null));
  }

  /** Calls the listener with each new text of the file, until what it returns is called. */
  readonly follow = (onText: (policy: Policy) => void): (() => void) =>
    this.#file?.onSwap(onText) ?? (() => undefined);

  swap(policy: Policy): void {
    this.#inForce = policy;
  }

  stop(): void {
    this.#file?.close();
  }

  row(mode: string): Frame['policy'] {
    return {
      file: this.#settings.policyFile ?? null,
      mode,
      revision: this.#file === undefined ? null : this.#inForce.revision,
      fault: this.#fault,
    };
  }

  #read(acting: HostModules['acting']): PolicyFile | undefined {
    const file = this.#settings.policyFile;
    if (file === undefined || acting === undefined) return undefined;
    try {
      return new acting.PolicyFile(file, { onRefused: (error) => (this.#fault = error.message) });
    } catch (error) {
      // "run" has checked the file. What happened to it since must not stop the program.
      this.#fault = (error as Error).message;
      process.emitWarning(String(error), { type: 'PlimsollWarning' });
      return undefined;
    }
  }
}
