import { createHash } from 'node:crypto';
import { warnOnce } from '@plimsoll/core/internal/errors';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';
import { checkPolicy } from '../policy/parse.ts';
import type { Policy } from '../policy/policy.ts';
import type { RollbackTrigger } from './rollback-record.ts';
import type { Usual } from './usual.ts';

/** A policy that was enforced long enough without a trigger, with its text and the usual values under it. */
interface GoodPolicy {
  readonly file: string;
  readonly revision: number;
  readonly sha256: string;
  readonly text: string;
  /** Wall time in ms. */
  readonly keptAt: number;
  readonly usual?: Usual;
}

/** A policy that was given up, recorded so that a restart does not enforce it again. */
export interface GivenUp {
  readonly sha256: string;
  readonly revision: number;
  readonly trigger: RollbackTrigger | 'manual';
  readonly at: number;
  /** Why, in one sentence. */
  readonly text: string;
  /** Hash of the policy that replaced it; null for shadow. */
  readonly to: string | null;
}

interface Stored {
  readonly v: 1;
  readonly good: readonly GoodPolicy[];
  readonly givenUp: GivenUp | null;
}

const mostPolicies = 5;
/** Largest size of the file. Five policies of the largest size fit several times, escaped as JSON. */
const maxShelfBytes = 8 * 1024 ** 2;
const nothing: Stored = { v: 1, good: [], givenUp: null };

/**
 * The last good policies and the policy that was given up, in one file beside the ledger. A text with a wrong hash is not used. A shelf
 * that cannot be read or written counts as empty. Falling back to shadow mode needs no file.
 */
export class PolicyShelf {
  readonly #path: string | undefined;
  #stored: Stored;

  /** Without a path it lives in memory. */
  constructor(path?: string) {
    this.#path = path;
    this.#stored = path === undefined ? nothing : read(path);
  }

  /** Newest first. */
  get good(): readonly GoodPolicy[] {
    return this.#stored.good;
  }

  get givenUp(): GivenUp | null {
    return this.#stored.givenUp;
  }

  /** The newest good policy with another text than this one, ready to be put in force. */
  lastGoodBut(sha256: string): { readonly policy: Policy; readonly usual: Usual | undefined } | undefined {
    for (const kept of this.#stored.good) {
      const policy = kept.sha256 === sha256 ? undefined : parse(kept);
      if (policy !== undefined) return { policy, usual: kept.usual };
    }
    return undefined;
  }

  byRevision(revision: number): Policy | undefined {
    const kept = this.#stored.good.find((each) => each.revision === revision);
    return kept === undefined ? undefined : parse(kept);
  }

  bySha(sha256: string): Policy | undefined {
    const kept = this.#stored.good.find((each) => each.sha256 === sha256);
    return kept === undefined ? undefined : parse(kept);
  }

  keep(policy: GoodPolicy): void {
    const others = this.#stored.good.filter(({ sha256 }) => sha256 !== policy.sha256);
    this.#store({ ...this.#stored, good: [policy, ...others].slice(0, mostPolicies) });
  }

  setGivenUp(givenUp: GivenUp | null): void {
    if (givenUp === null && this.#stored.givenUp === null) return;
    this.#store({ ...this.#stored, givenUp });
  }

  /** Removes a policy that was given up from the good ones. */
  forget(sha256: string): void {
    const good = this.#stored.good.filter((each) => each.sha256 !== sha256);
    if (good.length < this.#stored.good.length) this.#store({ ...this.#stored, good });
  }

  #store(next: Stored): void {
    this.#stored = next;
    if (this.#path === undefined) return;
    try {
      replaceFile(this.#path, `${JSON.stringify(next, null, 2)}\n`);
    } catch (error) {
      warnOnce('PLM_ROLLBACK_SHELF', { file: this.#path, reason: String(error) });
    }
  }
}

function parse({ text, file, sha256 }: GoodPolicy): Policy | undefined {
  if (createHash('sha256').update(text).digest('hex') !== sha256) return undefined;
  return checkPolicy(text, file).policy;
}

function read(path: string): Stored {
  let text: string;
  try {
    text = readRegularText(path, { maxBytes: maxShelfBytes, noFollow: true });
  } catch {
    return nothing;
  }
  try {
    const value = JSON.parse(text) as Partial<Stored>;
    if (value.v === 1 && Array.isArray(value.good))
      return {
        v: 1,
        good: value.good.filter(isGood).slice(0, mostPolicies),
        givenUp: givenUpOf(value.givenUp),
      };
    throw new Error('it has another form');
  } catch (error) {
    warnOnce('PLM_ROLLBACK_SHELF', { file: path, reason: String(error) });
    return nothing;
  }
}

function isGood(value: unknown): value is GoodPolicy {
  const { text, file, sha256, revision } = (value ?? {}) as Partial<GoodPolicy>;
  return [text, file, sha256].every((each) => typeof each === 'string') && typeof revision === 'number';
}

function givenUpOf(value: GivenUp | null | undefined): GivenUp | null {
  if (typeof value?.sha256 !== 'string' || typeof value.at !== 'number') return null;
  // A file of an older version has no sentence.
  return typeof value.text === 'string' ? value : { ...value, text: `trigger ${value.trigger}.` };
}
