import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Caller } from '../source.ts';
import { ownerName } from '@plimsoll/host/protocol';
import { isSameSecret } from './admin-token.ts';

/** Finds the approver of a token. */
export type FindApprover = (token: string) => Caller | undefined | Promise<Caller | undefined>;

/** The reader: the owner of the process, or a guest with read access. */
export type Reader = 'owner' | 'guest';

interface GateOptions {
  /** The current token. It changes when the token is rotated. */
  readonly adminToken: () => string;
  /** True when reading needs no token. */
  readonly isPublic: boolean;
  readonly findApprover?: FindApprover | undefined;
  /** True once for a link that the owner made. */
  readonly takeLink?: ((link: string) => boolean) | undefined;
}

const cookieName = 'plimsoll';
/** Most pages opened by a link at once, and their longest time. */
const mostSessions = 64;
const sessionMs = 12 * 3_600_000;

/** Identifies callers by bearer token. For reading, the cookie that a token was exchanged for is enough. */
export class Gate {
  readonly isPublic: boolean;
  readonly #options: GateOptions;
  /** Hashes of the tokens given for links, with the end of each. */
  readonly #sessions = new Map<string, number>();
  #token = '';

  constructor(options: GateOptions) {
    this.isPublic = options.isPublic;
    this.#options = options;
  }

  async callerOf(authorization: string | undefined): Promise<Caller | undefined> {
    const token = /^Bearer ([\w.~+/=-]{1,512})$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    if (isSameSecret(token, this.#current()) || this.#isSession(token)) return admin();
    return this.#options.findApprover?.(token);
  }

  /** Exchanges a one-time link for a page token; undefined when the link was used, is too old or unknown. */
  exchange(link: string): string | undefined {
    this.#current();
    if (this.#options.takeLink?.(link) !== true) return undefined;
    const token = randomBytes(32).toString('base64url');
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= mostSessions && oldest !== undefined) this.#sessions.delete(oldest);
    this.#sessions.set(hashOf(token), Date.now() + sessionMs);
    return token;
  }

  /** The reader of a request; undefined without read access. */
  readerOf(caller: Caller | undefined, cookie: string | undefined): Reader | undefined {
    if (caller !== undefined) return caller.isOwner ? 'owner' : 'guest';
    const found = (cookie ?? '')
      .split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(`${cookieName}=`))
      ?.slice(cookieName.length + 1);
    if (found !== undefined) {
      if (isSameSecret(found, this.#cookie('owner'))) return 'owner';
      if (isSameSecret(found, this.#cookie('guest'))) return 'guest';
    }
    return this.isPublic ? 'guest' : undefined;
  }

  /** The cookie for EventSource, which cannot send a header. It only allows reading. */
  setCookie({ isOwner }: Caller): string {
    return `${cookieName}=${this.#cookie(isOwner ? 'owner' : 'guest')}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** The value is derived from the token, so that a leaked cookie cannot be used for decisions. */
  #cookie(reader: Reader): string {
    return createHmac('sha256', this.#current()).update(`read ${reader}`).digest('base64url');
  }

  /** The current token. After a rotation all cookies and page tokens of the old one are dropped. */
  #current(): string {
    const token = this.#options.adminToken();
    if (token !== this.#token) this.#sessions.clear();
    this.#token = token;
    return token;
  }

  #isSession(token: string): boolean {
    const end = this.#sessions.get(hashOf(token));
    return end !== undefined && Date.now() < end;
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The caller with the admin token: only the user that runs the process can read the token file. */
function admin(): Caller {
  return { name: 'admin', by: ownerName(), groups: [], isOwner: true };
}
