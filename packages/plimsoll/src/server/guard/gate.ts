import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Caller } from '../source.ts';
import { ownerName } from '@plimsoll/host/protocol';
import { isSameSecret } from './admin-token.ts';

/** Finds the approver a token belongs to. */
export type FindApprover = (token: string) => Caller | undefined | Promise<Caller | undefined>;

/** Who reads: the owner of the process, or somebody who may look. */
export type Reader = 'owner' | 'guest';

interface GateOptions {
  /** The token in force now; another one after it was rotated. */
  readonly adminToken: () => string;
  /** True when reading needs no token. */
  readonly isPublic: boolean;
  readonly findApprover?: FindApprover | undefined;
  /** True once for a link that the owner made. */
  readonly takeLink?: ((link: string) => boolean) | undefined;
}

const cookieName = 'plimsoll';
/** Pages opened by a link at once, and how long each may stay. */
const mostSessions = 64;
const sessionMs = 12 * 3_600_000;

/** Knows who a request is from, by its bearer token; for reading also by the cookie that a token was exchanged for. */
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

  /** The token of a page for a one-time link; undefined when the link was used, is too old or was never made. */
  exchange(link: string): string | undefined {
    this.#current();
    if (this.#options.takeLink?.(link) !== true) return undefined;
    const token = randomBytes(32).toString('base64url');
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= mostSessions && oldest !== undefined) this.#sessions.delete(oldest);
    this.#sessions.set(hashOf(token), Date.now() + sessionMs);
    return token;
  }

  /** Who may read, and as whom; undefined for nobody. */
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

  /** The cookie that lets an EventSource in, which cannot send a header. It opens reading only. */
  setCookie({ isOwner }: Caller): string {
    return `${cookieName}=${this.#cookie(isOwner ? 'owner' : 'guest')}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Derived, so that whoever reads the cookie somewhere cannot decide anything with it. */
  #cookie(reader: Reader): string {
    return createHmac('sha256', this.#current()).update(`read ${reader}`).digest('base64url');
  }

  /** A token that was rotated takes everything with it that was given for the one before. */
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

/** Whoever can read the token file is the user that runs the process. */
function admin(): Caller {
  return { name: 'admin', by: ownerName(), groups: [], isOwner: true };
}
