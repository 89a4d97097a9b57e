import { getEventListeners } from 'node:events';
import type { EventEmitter } from 'node:events';

export type AttachmentKind = 'listener' | 'timer' | 'handle';

/** Something that the runtime holds on behalf of the code that made it, until that code lets go. */
export interface Attachment {
  readonly kind: AttachmentKind;
  /** What it is, e.g. `"abort" on AbortSignal` or `setInterval`. */
  readonly subject: string;
  /** It goes away by itself, only later. */
  readonly endsByItself: boolean;
  /** Whether it is still there. */
  isAttached(look: AuditLook): boolean;
  /** What holds it, as long as it lives; undefined when the runtime itself does. */
  readonly holder: object | undefined;
  /** Lets go of its target, which is held weakly from now on. */
  weaken(): void;
}

/** Who follows attachments: `admit` is asked before an attachment is made, `add` takes it and says whether it is followed. */
export interface AttachmentSink {
  admit(): boolean;
  add(attachment: Attachment): boolean;
}

/** One look at everything attached: the listeners of a target are asked for once, however many of them are followed. */
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

/** A listener on an EventEmitter or an EventTarget. */
export class ListenerAttachment implements Attachment {
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

/** A timer that runs for ever or for long. */
export class TimerAttachment implements Attachment {
  readonly kind = 'timer';
  readonly subject: string;
  readonly endsByItself: boolean;
  readonly holder = undefined;
  /** Monotonic ms at which a timeout has run; never for an interval. */
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

/** A handle of the runtime: a socket, a server, a watcher, a child; or an AsyncLocalStorage. It is told when it is gone. */
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
    // It refers to nothing.
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
