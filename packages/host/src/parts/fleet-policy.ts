import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import type { AssignedPolicy, FleetPolicies } from '@plimsoll/ledger/internal/postgres/policies';
import type { Part } from './part.ts';

/** Ms between two questions. A random quarter more or less spreads pods that start together. */
const everyMs = 30_000;
const firstMs = 2000;
/** A policy is a few kilobytes. */
const mostBytes = 1024 * 1024;

interface FleetPolicyOptions {
  readonly dir: string;
  /** Asks the database for the policy of this process; null when the fleet has none for it. */
  readonly ask: () => Promise<AssignedPolicy | null>;
  /** Called when the local copy has another text or is gone. */
  readonly changed: (file: string | undefined) => void;
  /** Called with the fault of a policy that cannot be used. The last good one stays. */
  readonly refused: (text: string) => void;
  /** Closes the connection to the database. */
  readonly close?: () => Promise<void>;
}

/** The question of one process: its service, and the key that puts it into a share. It connects with the first question. */
export function fleetQuestion(
  url: string,
  service: string,
  key: string,
): Required<Pick<FleetPolicyOptions, 'ask' | 'close'>> {
  let opened: Promise<{ client: PgClient; policies: FleetPolicies }> | undefined;
  const open = async (): Promise<{ client: PgClient; policies: FleetPolicies }> => {
    const { connect } = await import('@plimsoll/ledger/internal/postgres/client');
    const { FleetPolicies: Policies } = await import('@plimsoll/ledger/internal/postgres/policies');
    const client = await connect(url, { idleMs: 5000, name: 'plimsoll policy' });
    return { client, policies: new Policies(client) };
  };
  return {
    ask: async () => {
      opened ??= open().catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return (await opened).policies.assigned(service, key);
    },
    close: async () => {
      await (await opened?.catch(() => undefined))?.client.close();
    },
  };
}

/** Path of the local copy of the fleet's policy. The process uses it when the database is away, also after a restart. */
export function fleetPolicyFile(dir: string): string {
  return join(dir, 'fleet-policy.yaml');
}

/** The version that is noted in the text of a local copy; undefined when there is none. */
export function versionOf(text: string): number | undefined {
  const found = /^# fleet policy version (\d{1,15})\b/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function textIn(file: string): string | undefined {
  try {
    return readRegularText(file, { maxBytes: mostBytes });
  } catch {
    return undefined;
  }
}

/** The text of the local copy, with its version and in the mode of the roll-out. */
export function copyOf({ version, mode, text }: AssignedPolicy): string {
  const head = `# fleet policy version ${version}, mode ${mode}; written by plimsoll, do not edit\n`;
  if (mode === 'enforce') return head + text;
  const rest = text.replace(/^mode:.*$/m, 'mode: shadow');
  return head + (/^mode:/m.test(rest) ? rest : `mode: shadow\n${rest}`);
}

/**
 * Follows the policy that the fleet has for this process. It asks the database every 30 s and keeps the answer in a file, which the policy
 * part watches like any policy file. Without an answer nothing changes.
 */
export class FleetPolicyPart implements Part {
  readonly #options: FleetPolicyOptions;
  readonly #file: string;
  #timer: NodeJS.Timeout | undefined;
  /** The text of the local copy, which the policy part read at the start; null when the fleet said that it has none. */
  #known: string | null | undefined;
  #refusedSha = '';

  constructor(options: FleetPolicyOptions) {
    this.#options = options;
    this.#file = fleetPolicyFile(options.dir);
    this.#known = textIn(this.#file);
  }

  start(): void {
    this.#later(firstMs);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#options.close?.();
  }

  /** Asks once and applies the answer. Never rejects, because the database may be away for days. */
  async look(): Promise<void> {
    try {
      await this.#take(await this.#options.ask());
    } catch {
      // The last good policy is on the local disk.
    }
  }

  #later(ms: number): void {
    this.#timer = setTimeout(() => void this.#lookAndGoOn(), ms).unref();
  }

  async #lookAndGoOn(): Promise<void> {
    await this.look();
    if (this.#timer !== undefined) this.#later(everyMs * (0.875 + Math.random() / 4));
  }

  async #take(assigned: AssignedPolicy | null): Promise<void> {
    const text = assigned === null ? null : copyOf(assigned);
    if (text === this.#known) return;
    if (text === null) {
      const wasThere = existsSync(this.#file);
      removeFile(this.#file);
      this.#known = null;
      if (wasThere) this.#options.changed(undefined);
      return;
    }
    // Loaded with the first policy that arrives, because most processes are in no fleet.
    const { checkPolicy } = await import('@plimsoll/govern/internal/policy/parse');
    const { policy, problems } = checkPolicy(text, this.#file);
    if (policy === undefined) {
      const { version = 0, sha256 = '' } = assigned ?? {};
      if (this.#refusedSha !== sha256)
        this.#options.refused(
          `version ${version} of the fleet's policy cannot be used: ${problems[0]?.message ?? ''}`,
        );
      this.#refusedSha = sha256;
      return;
    }
    replaceFile(this.#file, text);
    this.#known = text;
    this.#options.changed(this.#file);
  }
}
