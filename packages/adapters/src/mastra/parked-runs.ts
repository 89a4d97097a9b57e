import type { Scope } from '@plimsoll/core';
import { openIn, sessionAround } from '@plimsoll/core/adapter';
import { forgetSnapshots } from './memory-snapshots.ts';

/** A Mastra instance, as far as it is used here. */
interface Instance {
  __unregisterInternalWorkflow(id: string, runId: string): unknown;
  __getRunScope?(runId: string): object | undefined;
}

interface Registration {
  readonly instance: WeakRef<object>;
  readonly workflow: WeakRef<object>;
  readonly id: string;
}

interface Parked {
  readonly scope: Scope;
  readonly registration: Registration;
  readonly since: number;
}

const most = 10_000;
const fallbackMs = 30 * 60_000;
/** A policy may shorten the time while runs are parked. */
const everyMs = 1000;

/**
 * Runs that were suspended, for an approval or by a tool, and wait for their answer. Mastra keeps the whole conversation of such a run (65 KB
 * for a prompt of 10 KB) and lets go of it after 30 minutes, but only when another run begins. Here each is a scope of kind `parked` with
 * its bytes, and its time is kept.
 */
export class ParkedRuns {
  readonly #ttl: () => number | undefined;
  #ownTtl: () => number | undefined = () => undefined;
  /** Runs that Mastra keeps, by run id. */
  readonly #kept = new Map<string, Registration>();
  readonly #instances = new WeakMap<object, WeakRef<object>>();
  readonly #runs = new WeakMap<Scope, string>();
  readonly #parked = new Map<string, Parked>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ttl: () => number | undefined) {
    this.#ttl = ttl;
  }

  /** How Mastra itself is set. */
  readTtl(read: () => number | undefined): void {
    this.#ownTtl = read;
  }

  registered(instance: object, workflow: { readonly id: string }, runId: string): void {
    if (this.#kept.size >= most) this.#kept.delete(this.#kept.keys().next().value as string);
    let ref = this.#instances.get(instance);
    if (ref === undefined) this.#instances.set(instance, (ref = new WeakRef(instance)));
    this.#kept.set(runId, {
      instance: ref,
      workflow: new WeakRef(workflow),
      id: workflow.id,
    });
    // A run that is resumed is registered again.
    this.#leave(runId, 'resumed');
  }

  unregistered(_instance: object, id: string, runId: string): void {
    if (this.#kept.get(runId)?.id !== id) return;
    this.#kept.delete(runId);
    this.#leave(runId, 'ended');
  }

  /** An agent began; its run may be suspended later. */
  began(runId: unknown, agent: Scope): void {
    if (typeof runId !== 'string') return;
    this.#runs.set(agent, runId);
    this.#leave(runId, 'resumed');
  }

  /** An agent ended. What Mastra still keeps of its run a moment later waits for an answer. */
  ended(agent: Scope): void {
    const runId = this.#runs.get(agent);
    if (runId === undefined || !this.#kept.has(runId)) return;
    const place = sessionAround(agent);
    const name = agent.name;
    setTimeout(() => this.#park(runId, name, place), 100).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const runId of this.#parked.keys()) this.#leave(runId, 'adapter ended');
    this.#kept.clear();
  }

  #park(runId: string, name: string, place: Scope | undefined): void {
    const registration = this.#kept.get(runId);
    const workflow = registration?.workflow.deref();
    if (registration === undefined || workflow === undefined || this.#parked.has(runId)) return;
    const scope = openIn(place, 'parked', name);
    scope.root(workflow);
    const state = (registration.instance.deref() as Instance | undefined)?.__getRunScope?.(runId);
    if (state !== undefined) scope.root(state);
    this.#parked.set(runId, { scope, registration, since: Date.now() });
    this.#timer ??= setInterval(() => this.#sweep(), everyMs).unref();
  }

  get #deadlineMs(): number {
    return Math.min(this.#ttl() ?? Infinity, this.#ownTtl() ?? fallbackMs);
  }

  /** Lets go of the runs whose time is over. */
  #sweep(): void {
    const before = Date.now() - this.#deadlineMs;
    for (const [runId, { registration, since }] of this.#parked) {
      if (since > before) continue;
      const instance = registration.instance.deref() as Instance | undefined;
      this.#leave(runId, 'not answered in time');
      this.#kept.delete(runId);
      instance?.__unregisterInternalWorkflow(registration.id, runId);
      // An agent has a snapshot of its loop and one of the step in it.
      if (this.#ttl() !== undefined)
        void forgetSnapshots(instance, runId, [registration.id, 'executionWorkflow']);
    }
    if (this.#parked.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #leave(runId: string, reason: string): void {
    const parked = this.#parked.get(runId);
    if (parked === undefined) return;
    this.#parked.delete(runId);
    void parked.scope.close(reason);
  }
}
