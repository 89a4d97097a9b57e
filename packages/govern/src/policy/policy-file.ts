import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { PlimsollError } from '@plimsoll/core';
import { failure, warnOnce } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import { RegularFileError, readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { PolicyError, checkPolicy } from './parse.ts';
import { formatPlace } from './form/place.ts';
import type { Policy } from './policy.ts';
import { maxPolicyBytes } from './form/yaml-tree.ts';

/** Called after each successful reload. */
type PolicySwapListener = (policy: Policy, before: Policy) => void;

interface PolicyFileOptions {
  /** Ms between two checks of the file, default 2000, at least 10. */
  readonly pollMs?: number;
  /** Ms for which the file has to stay unchanged before it is read, default 200. Editors write in several steps. */
  readonly settleMs?: number;
  /** Called when a changed file is refused. The policy in force stays. Without it a process warning is emitted. */
  readonly onRefused?: (error: PlimsollError, kept: Policy) => void;
  /** Called when a refused file can be used again, also when its text is the one in force. */
  readonly onMended?: () => void;
}

/**
 * A policy file that is watched while the process runs. A change is read, checked as a whole and put in force at once. A faulty one is
 * reported, and the last good policy stays in force. It polls the file's stamp, because `fs.watch` sees neither the symbolic-link swap of a
 * Kubernetes ConfigMap nor changes on network file systems. One `stat` every 2 s costs almost nothing.
 */
export class PolicyFile implements Disposable {
  readonly path: string;
  readonly #options: PolicyFileOptions;
  readonly #listeners = new Set<PolicySwapListener>();
  readonly #pollMs: number;
  readonly #settleMs: number;
  #current: Policy;
  #problem: PlimsollError | undefined;
  #stamp: string;
  #refusedText: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** Reads the file. Throws when it cannot be read or is faulty, because at start there is no last good policy. */
  constructor(path: string, options: PolicyFileOptions = {}) {
    this.path = path;
    this.#options = options;
    this.#pollMs = Math.max(10, options.pollMs ?? 2000);
    this.#settleMs = Math.max(0, options.settleMs ?? 200);
    // The stamp is taken first, so that a change between the two calls is seen at the next check.
    this.#stamp = stampOf(path);
    this.#current = readPolicyFile(path);
    this.#schedule(this.#pollMs, () => this.#look());
  }

  /** The policy in force. */
  get current(): Policy {
    return this.#current;
  }

  /** Why the current file was refused; undefined when its policy is in force. */
  get problem(): PlimsollError | undefined {
    return this.#problem;
  }

  /** Adds a listener for swaps and returns the function that removes it. Errors of a listener are caught. */
  onSwap(listener: PolicySwapListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads the file now. True when a new policy is in force. */
  reload(): boolean {
    if (this.#closed) return false;
    let next: Policy;
    try {
      this.#stamp = stampOf(this.path);
      next = readPolicyFile(this.path);
    } catch (error) {
      this.#refuse(error);
      return false;
    }
    const wasRefused = this.#problem !== undefined;
    this.#problem = undefined;
    this.#refusedText = undefined;
    const before = this.#current;
    if (wasRefused) this.#tell(() => this.#options.onMended?.());
    if (next.sha256 === before.sha256) return false;
    this.#current = next;
    for (const listener of this.#listeners) {
      try {
        listener(next, before);
      } catch {
        // The swap is done. An error of a listener does not undo it.
      }
    }
    return true;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #schedule(ms: number, look: () => Promise<void>): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void look(), ms).unref();
  }

  async #look(): Promise<void> {
    const seen = await stampLater(this.path);
    if (seen === this.#stamp) this.#schedule(this.#pollMs, () => this.#look());
    else this.#schedule(this.#settleMs, () => this.#settle(seen));
  }

  /** Reads the file once it has stopped changing. */
  async #settle(before: string): Promise<void> {
    const seen = await stampLater(this.path);
    if (this.#closed) return;
    if (seen !== before) {
      this.#schedule(this.#settleMs, () => this.#settle(seen));
      return;
    }
    this.reload();
    this.#stamp = seen;
    this.#schedule(this.#pollMs, () => this.#look());
  }

  #refuse(error: unknown): void {
    const problem = isPlimsollError(error) ? error : unreadable(this.path, error);
    this.#problem = problem;
    const text = String(problem);
    if (text === this.#refusedText) return;
    this.#refusedText = text;
    const first = problem instanceof PolicyError ? (problem.problems[0] as PlimsollError) : problem;
    const report = failure(
      'PLM_POLICY_KEPT_LAST_GOOD',
      {
        file: this.path,
        revision: this.#current.revision,
        first: `${first.code} at ${first.where}: ${first.message}`,
      },
      { cause: problem },
    );
    if (this.#options.onRefused === undefined) {
      process.emitWarning(`${report.message} (fix: ${report.fix})`, {
        type: 'PlimsollWarning',
        code: report.code,
      });
      return;
    }
    this.#tell(() => this.#options.onRefused?.(report, this.#current));
  }

  /** Calls a listener. Its errors do not affect the policy in force. */
  #tell(work: () => void): void {
    try {
      work();
    } catch (error) {
      warnOnce('PLM_GOVERN_LISTENER', { reason: String(error) });
    }
  }
}

/** Reads and checks a policy file. `shown` is the name in positions, when the user wrote a shorter path. */
export function readPolicyFile(path: string, shown = path): Policy {
  const { policy, problems } = checkPolicy(readPolicyText(path, shown), shown);
  if (policy === undefined) throw new PolicyError(shown, problems);
  return policy;
}

/** Reads the text of a policy: a regular file of a bounded size. */
export function readPolicyText(path: string, shown = path): string {
  try {
    return readRegularText(path, { maxBytes: maxPolicyBytes });
  } catch (error) {
    if (error instanceof RegularFileError && error.why === 'too-big')
      throw failure('PLM_POLICY_TOO_BIG', { file: shown, bytes: error.bytes, maxBytes: maxPolicyBytes });
    throw unreadable(shown, error);
  }
}

function unreadable(path: string, error: unknown): PlimsollError {
  // Node's message ends with ", open 'path'". The error has the place in its own line.
  const reason = error instanceof Error ? error.message.replace(/, \w+( '.*')?$/, '') : String(error);
  return failure('PLM_POLICY_UNREADABLE', { file: formatPlace({ file: path, line: 0, column: 0 }), reason });
}

/** Inode, time and size of the file. One of them changes with the file. A swapped link changes the inode. */
function stampOf(path: string): string {
  try {
    return format(statSync(path));
  } catch {
    return 'absent';
  }
}

async function stampLater(path: string): Promise<string> {
  try {
    return format(await stat(path));
  } catch {
    return 'absent';
  }
}

function format(stats: { ino: number; mtimeMs: number; size: number }): string {
  return `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}
