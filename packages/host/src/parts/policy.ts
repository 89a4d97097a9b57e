import { channel } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import type { PlimsollError } from '@plimsoll/core';
import type { Trouble } from '@plimsoll/govern/internal/health/trouble';
import { troubleChannelName } from '@plimsoll/govern/internal/health/trouble';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { PolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
import type { Frame } from '../protocol/frame.ts';
import { fleetPolicyFile, versionOf } from './fleet-policy.ts';
import type { HostModules } from './modules.ts';
import type { Part } from './part.ts';
import type { HostSettings } from './settings.ts';

/** A policy is a few kilobytes. */
const mostBytes = 1024 * 1024;
const troubleChannel = channel(troubleChannelName);

/**
 * The policy in force and its source: the fleet, else the file of this process, else the built-in policy, which only observes. The fleet's
 * policy is read from its local copy at the start, so a restart without the database keeps it.
 */
export class PolicyPart implements Part {
  readonly #settings: HostSettings;
  readonly #record: (body: Readonly<Record<string, string>>) => void;
  readonly #file: PolicyFile | undefined;
  readonly #acting: HostModules['acting'];
  readonly #listeners = new Set<(policy: Policy) => void>();
  /** The local copy of the fleet's policy, while the fleet has one for this process. */
  #fleet: PolicyFile | undefined;
  #fleetVersion: number | null = null;
  #inForce: Policy;
  #fault: { readonly text: string; readonly since: number } | null = null;

  /** `record` writes an entry into the ledger when the file was refused and when it was mended. */
  constructor(
    settings: HostSettings,
    { acting }: HostModules,
    record: (body: Readonly<Record<string, string>>) => void,
  ) {
    this.#settings = settings;
    this.#record = record;
    this.#acting = acting;
    this.#file = this.#read(acting);
    this.#file?.onSwap((policy) => {
      if (this.#fleet === undefined) this.#tell(policy);
    });
    const copy = fleetPolicyFile(settings.dir);
    if (this.hasFleet && existsSync(copy)) this.useFleet(copy);
    this.#inForce = this.#fleet?.current ?? this.own;
  }

  /** The policy of this process without the fleet's: its file, or the built-in one. It says which fleet the process belongs to. */
  get own(): Policy {
    return this.#file?.current ?? builtInPolicy;
  }

  /** True when the process belongs to a fleet, which may send a policy at any time. */
  get hasFleet(): boolean {
    return (this.#settings.ledgerUrl ?? this.own.retention.url) !== undefined;
  }

  /** The version of the fleet's policy in force; null when the process uses its own file. */
  get fleetVersion(): number | null {
    return this.#fleetVersion;
  }

  /** Uses the local copy of the fleet's policy from now on, or the process's own file again. */
  useFleet(path: string | undefined): void {
    if (path !== undefined && this.#acting === undefined) return;
    if (path === undefined) {
      this.#fleet?.close();
      this.#fleet = undefined;
      this.#fleetVersion = null;
      this.#tell(this.own);
      return;
    }
    try {
      this.#fleetVersion = versionOf(readRegularText(path, { maxBytes: mostBytes })) ?? null;
      if (this.#fleet !== undefined) {
        this.#fleet.reload();
        return;
      }
      const PolicyFileOf = (this.#acting as NonNullable<HostModules['acting']>).PolicyFile;
      this.#fleet = new PolicyFileOf(path, {
        onRefused: (error) => this.#refused(error),
        onMended: () => this.#mended(),
      });
      this.#fleet.onSwap((policy) => this.#tell(policy));
      this.#tell(this.#fleet.current);
    } catch (error) {
      // The copy was checked before it was written. A later fault in it must not stop the program.
      process.emitWarning(String(error), { type: 'PlimsollWarning' });
    }
  }

  #tell(policy: Policy): void {
    for (const listener of this.#listeners) listener(policy);
  }

  /** The policy that every part reads. After a rollback it differs from the file. */
  get inForce(): Policy {
    return this.#inForce;
  }

  /** True when a policy may act in this process: a file was read at the start, or the fleet may send one. */
  get mayAct(): boolean {
    return this.#acting !== undefined && (this.#file !== undefined || this.hasFleet);
  }

  start(): void {}

  /** Calls the listener with each new text of the file, until what it returns is called. */
  readonly follow = (onText: (policy: Policy) => void): (() => void) => {
    this.#listeners.add(onText);
    return () => this.#listeners.delete(onText);
  };

  swap(policy: Policy): void {
    this.#inForce = policy;
  }

  stop(): void {
    this.#file?.close();
    this.#fleet?.close();
  }

  row(mode: string, givenUp: string | null): Frame['policy'] {
    return {
      file: this.#fleet?.path ?? this.#settings.policyFile ?? null,
      mode,
      revision: this.#inForce.file === builtInPolicy.file ? null : this.#inForce.revision,
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
      // `plimsoll run` has checked the file. A later fault in it must not stop the program.
      this.#fault = { text: (error as Error).message, since: Date.now() };
      process.emitWarning(String(error), { type: 'PlimsollWarning' });
      return undefined;
    }
  }

  /** Tells of a refused file: one line on stderr, one entry in the ledger and one alert. The frame shows it until the file is mended. */
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
