import { createHmac } from 'node:crypto';
import type { Caller } from '../source.ts';
import { ownerName } from '@plimsoll/host/internal/control/approvals';
import { isSameSecret } from './admin-token.ts';

/** Finds the approver a token belongs to. */
export type FindApprover = (token: string) => Caller | undefined | Promise<Caller | undefined>;

export interface GateOptions {
  readonly adminToken: string;
  /** True when reading needs a token too. */
  readonly isPrivate: boolean;
  readonly findApprover?: FindApprover | undefined;
}

const cookieName = 'plimsoll';

/** Knows who a request is from, by its bearer token; for reading also by the cookie that a token was exchanged for. */
export class Gate {
  readonly isPrivate: boolean;
  readonly #options: GateOptions;
  readonly #cookie: string;

  constructor(options: GateOptions) {
    this.isPrivate = options.isPrivate;
    this.#options = options;
    // Derived, so that whoever reads the cookie somewhere cannot decide anything with it.
    this.#cookie = createHmac('sha256', options.adminToken).update('read').digest('base64url');
  }

  async callerOf(authorization: string | undefined): Promise<Caller | undefined> {
    const token = /^Bearer ([\w.~+/=-]{1,512})$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    if (isSameSecret(token, this.#options.adminToken)) return admin();
    return this.#options.findApprover?.(token);
  }

  mayRead(caller: Caller | undefined, cookie: string | undefined): boolean {
    return !this.isPrivate || caller !== undefined || this.#hasCookie(cookie);
  }

  /** The cookie that lets an EventSource in, which cannot send a header. It opens reading only. */
  setCookie(): string {
    return `${cookieName}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`;
  }

  #hasCookie(header: string | undefined): boolean {
    const found = (header ?? '')
      .split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(`${cookieName}=`));
    return found !== undefined && isSameSecret(found.slice(cookieName.length + 1), this.#cookie);
  }
}

/** Whoever can read the token file is the user that runs the process. */
function admin(): Caller {
  return { name: 'admin', by: ownerName(), groups: [], isOwner: true };
}
