import { getEventListeners } from 'node:events';
import type { EventEmitter } from 'node:events';

export type AttachmentKind = 'listener' | 'timer' | 'handle';

/** A listener, timer or handle that the runtime holds until the program removes it. */
export interface Attachment {
  readonly kind: AttachmentKind;
  /** Its description, e.g. `"abort" on AbortSignal` or `setInterval`. */
  readonly subject: string;
  /** True when it ends by itself later. */
  readonly endsByItself: boolean;
  /** Whether it is still there. */
  isAttached(look: AuditLook): boolean;
  /** Its holder while that lives; undefined when the runtime itself holds it. */
  readonly holder: object | undefined;
  /** From now on refers to its target only weakly. */
  weaken(): void;
}

/** Receives attachments. `admit` is called before one is made; `add` takes it and returns whether it is followed. */
export interface AttachmentSink {
  admit(): boolean;
  add(attachment: Attachment): boolean;
}

/** State of one check. The listeners of a target are read once per check, however many of them are followed. */
export class AuditLook {
  readonly now: number;
  readonly #lists = new Map<object, Map<string | symbol, ReadonlySet<unknown>>>();

  constructor(now: number) {
    this.now = now;
  }

  isListening(target: object, type: string | symbol, listener: unknown): boolean {
    let types = this.#lists.get(target);
    if (types === undefined) this.#lists.set(target, (types = new Map()));
    let listeners = types.get(type);
    if (listeners === undefined) {
      listeners = new Set<unknown>(getEventListeners(target as EventEmitter, type as string));
      types.set(type, listeners);
    }
    return listeners.has(listener);
  }
}

/**
 * A listener on an EventEmitter or an EventTarget. It refers to the program's objects for a second or two. The name begins with Plimsoll, so
 * that the paths of a snapshot lead through the program's own holder instead.
 */
export class PlimsollListener implements Attachment {
  readonly kind = 'listener';
  readonly subject: string;
  readonly endsByItself = false;
  readonly #type: string | symbol;
  #target: object | WeakRef<object>;
  #listener: object | WeakRef<object>;
  #isWeak = false;

  constructor(target: object, type: string | symbol, listener: object) {
    this.#target = target;
    this.#type = type;
    this.#listener = listener;
    this.subject = `"${String(type).slice(0, 100)}" on ${nameOf(target)}`;
  }

  get holder(): object | undefined {
    return this.#isWeak ? (this.#target as WeakRef<object>).deref() : this.#target;
  }

  isAttached(look: AuditLook): boolean {
    const target = this.holder;
    const listener = this.#isWeak ? (this.#listener as WeakRef<object>).deref() : this.#listener;
    return target !== undefined && listener !== undefined && look.isListening(target, this.#type, listener);
  }

  weaken(): void {
    if (this.#isWeak) return;
    this.#target = new WeakRef(this.#target as object);
    this.#listener = new WeakRef(this.#listener as object);
    this.#isWeak = true;
  }
}

/** An interval or a long timeout. Its name has the same reason. */
export class PlimsollTimer implements Attachment {
  readonly kind = 'timer';
  readonly subject: string;
  readonly endsByItself: boolean;
  readonly holder = undefined;
  /** Monotonic ms at which a timeout runs; infinite for an interval. */
  readonly #endsAt: number;
  #timer: WeakRef<object> | object;
  #isWeak = false;
  #isCleared = false;

  constructor(timer: object, subject: 'setInterval' | 'setTimeout', endsAt: number) {
    this.#timer = timer;
    this.subject = subject;
    this.endsByItself = subject === 'setTimeout';
    this.#endsAt = endsAt;
  }

  cleared(): void {
    this.#isCleared = true;
  }

  isAttached({ now }: AuditLook): boolean {
    if (this.#isCleared || now > this.#endsAt) return false;
    return !this.#isWeak || (this.#timer as WeakRef<object>).deref() !== undefined;
  }

  weaken(): void {
    if (this.#isWeak) return;
    this.#timer = new WeakRef(this.#timer as object);
    this.#isWeak = true;
  }
}

/** A handle of the runtime: a socket, a server, a watcher, a child; or an AsyncLocalStorage. Its tap reports its end. */
export class HandleAttachment implements Attachment {
  readonly kind = 'handle';
  readonly subject: string;
  readonly endsByItself = false;
  readonly holder = undefined;
  #isClosed = false;

  constructor(subject: string) {
    this.subject = subject;
  }

  closed(): void {
    this.#isClosed = true;
  }

  isAttached(): boolean {
    return !this.#isClosed;
  }

  weaken(): void {
    // It has no reference to drop.
  }
}

function nameOf(target: object): string {
  try {
    const name: unknown = target.constructor.name;
    return typeof name === 'string' && name !== '' ? name.slice(0, 100) : 'object';
  } catch {
    return 'object';
  }
}
