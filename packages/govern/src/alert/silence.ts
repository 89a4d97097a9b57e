import { randomBytes } from 'node:crypto';
import { failure } from '@plimsoll/core/internal/errors';
import { matchesWildcards } from '../policy/glob.ts';
import { formatDuration } from '@plimsoll/core/units';
import type { Labels } from './alert.ts';

/** One condition of a silence: a label and the value that it must have, or must not have. `*` matches any text. */
export interface Matcher {
  readonly label: string;
  readonly value: string;
  readonly negated: boolean;
}

/** Matching alerts are not sent until the silence ends. */
export interface Silence {
  readonly id: string;
  readonly matchers: readonly Matcher[];
  readonly author: string;
  readonly comment: string;
  readonly createdAt: number;
  /** Wall time, for people. The silence itself ends by monotonic time. */
  readonly endsAt: number;
}

const labelNames = ['alertname', 'level', 'service', 'pod', 'kind', 'subject'] as const;
export const mostSilences = 100;
const mostMatchers = 10;
const longestText = 200;
/** Longest time of a silence. */
export const longestSilenceMs = 30 * 86_400_000;

/** The matcher of "kind=session" or "level!=emergency". */
export function parseMatcher(text: string): Matcher {
  const match = /^([a-z]+)(!?=)(.{0,200})$/s.exec(text.trim());
  const label = match?.[1] ?? '';
  if (match === null || !(labelNames as readonly string[]).includes(label))
    throw failure('PLM_ALERT_BAD_SILENCE', {
      message: `"${text.slice(0, 60)}" is not a matcher`,
      fix: `write label=value or label!=value; labels are ${labelNames.join(', ')}`,
    });
  return { label, value: match[3] as string, negated: match[2] === '!=' };
}

export function formatMatcher({ label, value, negated }: Matcher): string {
  return `${label}${negated ? '!=' : '='}${value}`;
}

/** The silences of a process. Their number is bounded, and each ends. */
export class SilenceList {
  readonly #silences = new Map<string, { readonly silence: Silence; readonly endsMs: number }>();

  /** Adds a silence; throws PLM_ALERT_BAD_SILENCE when it lacks something or there are too many. */
  add(
    given: {
      readonly matchers: readonly Matcher[];
      readonly author: string;
      readonly comment?: string;
      readonly forMs: number;
    },
    now: { readonly ms: number; readonly at: number },
  ): Silence {
    const { matchers, author, comment = '', forMs } = given;
    this.expire(now.ms);
    const refuse = (message: string, fix: string): never => {
      throw failure('PLM_ALERT_BAD_SILENCE', { message, fix });
    };
    if (matchers.length === 0) refuse('it has no matcher', 'add one such as kind=session');
    if (matchers.length > mostMatchers)
      refuse(`it has ${matchers.length} matchers`, `use ${mostMatchers} at most`);
    if (author.trim() === '' || author.length > longestText)
      refuse('it has no author', `name one, in at most ${longestText} characters`);
    if (comment.length > longestText)
      refuse('its comment is too long', `use ${longestText} characters at most`);
    if (!(forMs > 0 && forMs <= longestSilenceMs))
      refuse(
        'its time is out of bounds',
        `give a time of up to ${formatDuration(longestSilenceMs)}, such as 2h`,
      );
    if (this.#silences.size >= mostSilences)
      refuse(`there are ${mostSilences} silences`, 'remove one with "plimsoll silence remove ID"');
    const silence: Silence = {
      id: randomBytes(4).toString('hex'),
      matchers,
      author,
      comment,
      createdAt: now.at,
      endsAt: now.at + forMs,
    };
    this.#silences.set(silence.id, { silence, endsMs: now.ms + forMs });
    return silence;
  }

  /** Takes an earlier silence for the rest of its time. One that is over or does not fit is dropped. */
  restore(silence: Silence, now: { readonly ms: number; readonly at: number }): void {
    const leftMs = Math.min(silence.endsAt - now.at, longestSilenceMs);
    if (leftMs <= 0 || this.#silences.size >= mostSilences || silence.matchers.length === 0) return;
    this.#silences.set(silence.id, { silence, endsMs: now.ms + leftMs });
  }

  /** True when such a silence existed. */
  remove(id: string): boolean {
    return this.#silences.delete(id);
  }

  list(nowMs: number): readonly Silence[] {
    this.expire(nowMs);
    return [...this.#silences.values()].map(({ silence }) => silence);
  }

  expire(nowMs: number): void {
    for (const [id, { endsMs }] of this.#silences) if (endsMs <= nowMs) this.#silences.delete(id);
  }

  /** The silence that mutes an alert; undefined when there is none. */
  find(labels: Labels): Silence | undefined {
    for (const { silence } of this.#silences.values())
      if (silence.matchers.every((matcher) => matches(matcher, labels))) return silence;
    return undefined;
  }

  /** When the next silence ends, on the monotonic clock. */
  get nextEndMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { endsMs } of this.#silences.values()) next = Math.min(next, endsMs);
    return next;
  }
}

function matches({ label, value, negated }: Matcher, labels: Labels): boolean {
  return matchesWildcards(value, labels[label as keyof Labels]) !== negated;
}
