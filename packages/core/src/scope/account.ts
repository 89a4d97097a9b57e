import { warnOnce } from '../errors.ts';
import type { Holding } from './holding.ts';
import type { Scope } from './scope.ts';

/** A live number of bytes: a Meter, a keeper, or any object with such a property. */
export interface Metered {
  readonly bytes: number;
}

/** Where an account reports what it had to refuse; the scope behind it names itself only when something went wrong. */
export interface AccountOwner {
  readonly kind: string;
  meterFailed(cause: unknown): void;
}

/** Accounts with meters to re-read, in the order they were first metered. */
const metered = new Set<Account>();

/** Accounts that changed since they were last taken, for who follows what scopes hold. Most accounts change seldom, so nobody has to walk all. */
export class AccountChanges {
  #follower: object | undefined;
  #list: Account[] = [];
  #isOverfull = false;

  note(account: Account): void {
    if (this.#follower === undefined) return;
    // A blocked loop takes no list. It is dropped then, and the follower looks at every scope once.
    if (this.#list.length >= maxChanges) this.#drop();
    account.isNoted = true;
    this.#list.push(account);
  }

  /** What changed since this follower asked last; undefined when it has to look at everything. There is one follower at a time, the last to ask. */
  take(follower: object): readonly Account[] | undefined {
    const isKnown = this.#follower === follower && !this.#isOverfull;
    this.#follower = follower;
    const list = this.#list;
    this.#drop();
    this.#isOverfull = false;
    return isKnown ? list : undefined;
  }

  /** Ends following, when it is this one that follows. */
  leave(follower: object): void {
    if (this.#follower !== follower) return;
    this.#follower = undefined;
    this.#drop();
  }

  #drop(): void {
    for (const account of this.#list) account.isNoted = false;
    this.#list = [];
    this.#isOverfull = true;
  }
}

const maxChanges = 100_000;

export const accountChanges = new AccountChanges();

/** Re-reads every charged meter of the process; a sampler calls it before it reads accounts. */
export function settleMeters(): void {
  for (const account of metered) account.settle();
}

/** What one line or meter adds to an account. */
interface Share {
  readonly label: string;
  bytes: number;
  // Weak, because a line keeps its scope object alive and the account, which the tree holds, must not.
  line: WeakRef<AccountLine> | undefined;
}

/** One entry of an account whose holder says what it holds now: `line.set(bytes)` costs one delta up the tree. */
export class AccountLine {
  readonly label: string;
  readonly #entry: Share;
  #account: Account | undefined;
  #scope: Scope | undefined;

  constructor(entry: Share, account: Account, scope: Scope) {
    this.label = entry.label;
    this.#entry = entry;
    this.#account = account;
    this.#scope = scope;
  }

  /** The scope that is charged; whoever holds a line keeps its scope from counting as abandoned. */
  get scope(): Scope | undefined {
    return this.#scope;
  }

  get bytes(): number {
    return this.#account === undefined ? 0 : this.#entry.bytes;
  }

  /** Says what the holder holds now; the difference is charged or credited. Does nothing once the scope has closed. */
  set(bytes: number): void {
    this.#account?.set(this.#entry, bytes, 'line.set');
  }

  /** Credits what is left and ends the line. */
  close(): void {
    this.#account?.drop(this.#entry);
    this.ended();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Lets go of the account and the scope; the account calls it when the scope closes. */
  ended(): void {
    this.#account = undefined;
    this.#scope = undefined;
  }
}

/** What a scope holds now, its peak and what it ever was charged, rolled up to its ancestors at each change. */
export class Account {
  /** What the scope holds by walks and charges, as of the last reading; undefined while nothing is known or nobody looks. */
  holding: Holding | undefined = undefined;
  /** In the list of changes already. */
  isNoted = false;
  #up: Account | undefined;
  #own = 0;
  #held = 0;
  #peak = 0;
  #charged = 0;
  #owner: AccountOwner | undefined;
  #entries: Set<Share> | undefined;
  #meters: Map<Metered, Share> | undefined;

  constructor(up: Account | undefined, owner: AccountOwner) {
    this.#up = up;
    this.#owner = owner;
  }

  /** Bytes of this scope alone. */
  get own(): number {
    if (this.#meters !== undefined) this.settle();
    return this.#own;
  }

  /** Bytes of this scope and its descendants; meters of descendants count as last read. */
  get held(): number {
    if (this.#meters !== undefined) this.settle();
    return this.#held;
  }

  /** Highest `held` so far. */
  get peak(): number {
    return this.#peak;
  }

  /** Bytes ever charged here and below; credits do not lower it. */
  get charged(): number {
    return this.#charged;
  }

  get closed(): boolean {
    return this.#owner === undefined;
  }

  /** The scope's record; undefined once closed. */
  get owner(): AccountOwner | undefined {
    return this.#owner;
  }

  /** Notes that what the scope holds is to be computed again. */
  changed(): void {
    if (!this.isNoted) accountChanges.note(this);
  }

  charge(bytes: number): void {
    const whole = this.wholeBytes(bytes, 'charge');
    if (whole > 0) this.move(whole);
  }

  credit(bytes: number): void {
    const whole = this.wholeBytes(bytes, 'credit');
    if (whole <= 0) return;
    const owner = this.#owner;
    if (owner === undefined) return;
    if (whole > this.#own) {
      warnOnce('PLM_SCOPE_OVERCREDIT', { bytes: whole, own: this.#own, scope: scopesOf(owner) });
      this.move(-this.#own);
    } else this.move(-whole);
  }

  /** Charges a live number; charging it again re-reads it. */
  meter(meter: Metered): void {
    if (this.#owner === undefined) return;
    this.#meters ??= new Map();
    let entry = this.#meters.get(meter);
    if (entry === undefined) {
      entry = this.#entry('meter');
      this.#meters.set(meter, entry);
      metered.add(this);
    }
    this.#read(meter, entry);
  }

  /** Takes a charged meter off the account; unknown meters are ignored. */
  unmeter(meter: Metered): void {
    const entry = this.#meters?.get(meter);
    if (entry === undefined || this.#meters === undefined) return;
    this.#meters.delete(meter);
    if (this.#meters.size === 0) {
      this.#meters = undefined;
      metered.delete(this);
    }
    this.drop(entry);
  }

  line(label: string, scope: Scope): AccountLine {
    const entry = this.#entry(label);
    const line = new AccountLine(entry, this, scope);
    entry.line = new WeakRef(line);
    if (this.#owner === undefined) line.ended();
    return line;
  }

  /** What the lines of this scope say now; meters appear as `meter`. */
  lines(): { readonly label: string; readonly bytes: number }[] {
    return [...(this.#entries ?? [])].map(({ label, bytes }) => ({ label, bytes }));
  }

  /** Re-reads the meters charged here. */
  settle(): void {
    const meters = this.#meters;
    if (meters !== undefined) for (const [meter, entry] of meters) this.#read(meter, entry);
  }

  set(entry: Share, bytes: number, verb: string): void {
    const whole = this.wholeBytes(bytes, verb);
    if (whole < 0) return;
    this.move(whole - entry.bytes);
    entry.bytes = whole;
  }

  drop(entry: Share): void {
    if (this.#entries?.delete(entry) === true) this.move(-entry.bytes);
  }

  /** Adds a checked difference here and to every ancestor. */
  move(difference: number): void {
    if (this.#owner === undefined || difference === 0) return;
    if (!this.isNoted) accountChanges.note(this);
    const own = this.#own + difference;
    // Below zero when a credit already ate what a line held; the account stops at zero.
    const delta = own < 0 ? -this.#own : difference;
    this.#own = own < 0 ? 0 : own;
    this.#add(delta);
    for (let above = this.#up; above !== undefined; above = above.#up) above.#add(delta);
  }

  #add(delta: number): void {
    const held = this.#held + delta;
    this.#held = held;
    if (delta <= 0) return;
    this.#charged += delta;
    if (held > this.#peak) this.#peak = held;
  }

  /** Whole bytes of a valid count, or -1 after saying why it is none. */
  wholeBytes(bytes: number, verb: string): number {
    if (typeof bytes === 'number' && bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER) {
      if (this.#owner !== undefined) return Math.round(bytes);
      if (verb !== 'credit') warnOnce('PLM_SCOPE_CHARGED_LATE', { scope: 'a closed scope' });
      return -1;
    }
    const scope = this.#owner === undefined ? 'a closed scope' : scopesOf(this.#owner);
    warnOnce('PLM_SCOPE_BAD_BYTES', { verb, value: String(bytes), scope });
    return -1;
  }

  /** Takes what is left off the ancestors and lets go of everything but the final figures. */
  close(): number {
    const left = this.#own;
    this.move(-left);
    if (this.holding !== undefined) this.changed();
    this.#owner = undefined;
    this.#up = undefined;
    for (const { line } of this.#entries ?? []) line?.deref()?.ended();
    this.#entries = undefined;
    if (this.#meters !== undefined) metered.delete(this);
    this.#meters = undefined;
    return left;
  }

  #entry(label: string): Share {
    const entry: Share = { label, bytes: 0, line: undefined };
    if (this.#owner !== undefined) (this.#entries ??= new Set()).add(entry);
    return entry;
  }

  #read(meter: Metered, entry: Share): void {
    try {
      this.set(entry, meter.bytes, 'a meter');
    } catch (cause) {
      this.#owner?.meterFailed(cause);
    }
  }
}

function scopesOf(owner: AccountOwner): string {
  return `scopes of kind ${JSON.stringify(owner.kind)}`;
}
