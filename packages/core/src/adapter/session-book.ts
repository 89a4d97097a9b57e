import { currentScope, openAs, processScope } from '../scope/index.ts';
import type { Scope } from '../scope/index.ts';
import { slots } from '../slots.ts';

/** When a session ends that nobody ends. */
export interface SessionRules {
  /** After this time without a call, a lease or an open scope inside it. Age alone never closes a session. */
  readonly idleMs: number;
  /** Most sessions known at once. A new one takes the place of the one that is idle longest. */
  readonly most: number;
}

const defaults: SessionRules = { idleMs: 30 * 60_000, most: 10_000 };

/** How many of the oldest sessions are asked whether they are in use before a new one goes without a scope of its own. */
const looks = 64;

/** The sessions of this thread by id. A session spans calls, so somebody has to remember it between them. */
export class SessionBook {
  /** In the order of their last use. */
  readonly #open = new Map<string, Scope>();
  #rules = defaults;
  #other: Scope | undefined;
  #timer: NodeJS.Timeout | undefined;

  get size(): number {
    return this.#open.size;
  }

  get rules(): SessionRules {
    return this.#rules;
  }

  configure(rules: Partial<SessionRules>): void {
    this.#rules = { ...this.#rules, ...rules };
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#open.size > 0) this.#watch();
  }

  /** The scope of a session, opened when it is new. It is in use from now on. */
  enter(id: string): Scope {
    const known = this.get(id);
    if (known !== undefined) {
      this.#open.delete(id);
      this.#open.set(id, known);
      known.touch();
      return known;
    }
    if (this.#open.size >= this.#rules.most && !this.#makeRoom()) return this.#overflow();
    return this.#add(id);
  }

  /** The scope of a session that is open. */
  get(id: string): Scope | undefined {
    const scope = this.#open.get(id);
    if (scope === undefined || scope.state === 'open') return scope;
    this.#open.delete(id);
    return undefined;
  }

  close(id: string, reason = 'session ended'): void {
    const scope = this.#open.get(id);
    this.#open.delete(id);
    void scope?.close(reason);
  }

  /** Closes the sessions that are idle; returns how many. */
  sweep(): number {
    let closed = 0;
    for (const [id, scope] of this.#open) {
      if (scope.state !== 'open') this.#open.delete(id);
      else if (scope.idleMs > this.#rules.idleMs && !isInUse(scope)) {
        this.close(id, 'idle');
        closed += 1;
      }
    }
    if (this.#open.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    return closed;
  }

  #add(id: string): Scope {
    const scope = openAs('entry', 'session', id, { parent: processScope() });
    this.#open.set(id, scope);
    this.#watch();
    return scope;
  }

  #makeRoom(): boolean {
    let left = looks;
    for (const [id, scope] of this.#open) {
      if (!isInUse(scope)) {
        this.close(id, 'too many sessions');
        return true;
      }
      if ((left -= 1) === 0) return false;
    }
    return false;
  }

  /** One scope for all sessions beyond the bound. */
  #overflow(): Scope {
    if (this.#other?.state !== 'open')
      this.#other = openAs('entry', 'session', '(other)', { parent: processScope() });
    return this.#other;
  }

  #watch(): void {
    const everyMs = Math.min(60_000, Math.max(1000, this.#rules.idleMs / 4));
    this.#timer ??= setInterval(() => this.sweep(), everyMs).unref();
  }
}

function isInUse(scope: Scope): boolean {
  return scope.leases > 0 || scope.children().length > 0;
}

/** The sessions of this thread; all copies of the package share them. */
export function sessions(): SessionBook {
  return (slots().sessions ??= new SessionBook());
}

/** Scopes that turned out to belong to a session after they were opened outside of it. */
const late = new WeakMap<Scope, WeakRef<Scope>>();

/**
 * Says that what is opened in a scope from now on belongs to a session. The scope itself stays where it is, because a scope has one parent
 * for life.
 */
export function putInto(scope: Scope, session: Scope): void {
  late.set(scope, new WeakRef(session));
}

/** The open session that `putInto` named for a scope. */
function lateSession(scope: Scope): Scope | undefined {
  const named = late.get(scope)?.deref();
  return named?.state === 'open' ? named : undefined;
}

/** The session that a scope is in: itself, the nearest ancestor of kind `session`, or the one that `putInto` named. */
export function sessionAround(scope: Scope): Scope | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    if (at.kind === 'session') return at;
    const named = lateSession(at);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** The scope itself, or the session that it was put into by `putInto`. Runs for every scope of an adapter, so it makes no path. */
export function belonging(scope: Scope): Scope {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    if (at.kind === 'session') return scope;
    const named = lateSession(at);
    if (named !== undefined) return isInside(at, named) ? scope : named;
  }
  return scope;
}

function isInside(scope: Scope, outer: Scope): boolean {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent)
    if (at.id === outer.id) return true;
  return false;
}

/**
 * Where an agent is opened that names a session: in that session, unless the running code is inside a session or an agent already. An agent
 * inside another one stays there, so that the depth of a delegation can be told.
 */
export function placeOf(session: string | undefined): Scope {
  const here = currentScope();
  if (session === undefined) return here;
  let isInSession = false;
  for (let at: Scope | undefined = here; at !== undefined; at = at.parent) {
    if (at.kind === 'agent') return here;
    isInSession ||= at.kind === 'session' || lateSession(at) !== undefined;
  }
  return isInSession ? here : sessions().enter(session);
}
