import { failure } from '@plimsoll/core/internal/errors';
import { roster } from '@plimsoll/core/internal/scope/index';
import { AttachmentLedger } from '@plimsoll/leak/internal/audit/attachment-ledger';
import type { AttachmentKind } from '@plimsoll/leak/internal/audit/attachment';
import { siteText } from '@plimsoll/leak/internal/audit/call-site';
import { tapHandles } from '@plimsoll/leak/internal/audit/handle-tap';
import { tapListeners } from '@plimsoll/leak/internal/audit/listener-tap';
import { tapTimers } from '@plimsoll/leak/internal/audit/timer-tap';
import { isKitFile } from '../report/kit-file.ts';
import { settle } from '../engine/settle.ts';
import type { Ignore } from '../growth/growth-rows.ts';
import { callerPlace, LeakError } from '../report/leak-error.ts';

export interface GuardOptions {
  /** Scopes that were opened and not closed; default true. */
  readonly scopes?: boolean;
  /** Listeners on emitters, EventTargets and signals that outlive the suite; default true. */
  readonly listeners?: boolean;
  /** Intervals and timeouts of a second or more; default true. */
  readonly timers?: boolean;
  /** Servers, sockets, watchers and child processes; default true. */
  readonly handles?: boolean;
  /** Accepted leftovers. `through` is a part of the subject or of the place that made it. */
  readonly ignore?: readonly Ignore[];
}

/** One thing that a suite left. */
export interface LeftBehind {
  readonly kind: AttachmentKind | 'scope';
  /** Its description, e.g. `"abort" on AbortSignal` or `process/session:42`. */
  readonly subject: string;
  readonly count: number;
  /** The line that made it. */
  readonly site: string | undefined;
}

const mostShown = 12;
/** Files of test runners, which attach listeners and timers of their own for reporters, timeouts and hooks. */
const runner = /[\\/]node_modules[\\/](?:vitest|@vitest|jest[^\\/]*|@jest|tinypool|vite|vite-node)[\\/]/;

/** Follows scopes and attachments from now on, until `end` lists the ones that are left. */
export class LeakGuard {
  readonly #options: GuardOptions;
  readonly #where: string;
  readonly #ledger = new AttachmentLedger({
    perSecond: 10_000,
    isOwn: (file) => isKitFile(file) || runner.test(file),
  });
  readonly #untap: readonly (() => void)[];
  readonly #scopes: ReadonlySet<number>;

  constructor(options: GuardOptions = {}) {
    this.#options = options;
    this.#where = callerPlace();
    const { listeners = true, timers = true, handles = true } = options;
    this.#scopes = new Set(roster.records().map(({ id }) => id));
    this.#untap = [
      ...(listeners ? [tapListeners(this.#ledger)] : []),
      ...(timers ? [tapTimers(this.#ledger)] : []),
      ...(handles ? [tapHandles(this.#ledger)] : []),
    ];
  }

  /** The leftovers, after pending work has run and garbage is collected. It ends the guard. */
  async left(): Promise<readonly LeftBehind[]> {
    await settle();
    this.#ledger.look(1);
    await settle();
    this.#ledger.look(2);
    const attached = [...this.#ledger.groups]
      .filter(({ entries }) => entries > 0)
      .map(({ kind, subject, entries, origin }) => ({
        kind,
        subject,
        count: entries,
        site: siteText(origin.caller ?? origin.site),
      }));
    this.stop();
    const { ignore = [] } = this.#options;
    return [...this.#openScopes(), ...attached].filter(
      (each) => !ignore.some(({ through }) => isThrough(each, through)),
    );
  }

  /** Throws a LeakError that lists the leftovers. */
  async end(): Promise<void> {
    const left = await this.left();
    if (left.length > 0) throw leftError(left, this.#where);
  }

  /** Stops following without a report. */
  stop(): void {
    for (const untap of this.#untap) untap();
    this.#ledger.clear();
  }

  #openScopes(): readonly LeftBehind[] {
    if (this.#options.scopes === false) return [];
    return roster
      .records()
      .filter(({ id }) => !this.#scopes.has(id))
      .map(({ path }) => ({ kind: 'scope', subject: path, count: 1, site: undefined }));
  }
}

/** Begins to follow scopes, listeners, timers and handles; `await guard.end()` throws when some are left. */
export function leakGuard(options?: GuardOptions): LeakGuard {
  return new LeakGuard(options);
}

function isThrough({ subject, site = '' }: LeftBehind, through: string | RegExp): boolean {
  const text = `${subject} ${site}`;
  return typeof through === 'string' ? text.includes(through) : through.test(text);
}

function leftError(left: readonly LeftBehind[], where: string): LeakError<readonly LeftBehind[]> {
  const sums = new Map<string, number>();
  for (const { kind, count } of left) sums.set(kind, (sums.get(kind) ?? 0) + count);
  const text = [...sums].map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`).join(', ');
  const lines = left.slice(0, mostShown).map(({ kind, subject, count, site }) => {
    const times = count === 1 ? '' : ` ×${count}`;
    return `${kind.padEnd(9)} ${subject}${times}${site === undefined ? '' : `   made in ${site}`}`;
  });
  if (left.length > mostShown) lines.push(`… and ${left.length - mostShown} more`);
  return new LeakError(failure('PLM_LEAK_LEFT_BEHIND', { left: text, where }), lines, left);
}
