import { currentScope } from '@plimsoll/core';
import { AuditLook } from '@plimsoll/leak/internal/audit/attachment';
import type { Attachment, AttachmentSink } from '@plimsoll/leak/internal/audit/attachment';
import { tapListeners } from '@plimsoll/leak/internal/audit/listener-tap';
import { tapTimers } from '@plimsoll/leak/internal/audit/timer-tap';

/** Listeners and timers that one call made and did not remove. */
interface StageLeftovers {
  readonly listeners: number;
  readonly timers: number;
}

/** Most attachments that are followed for one call. */
const mostPerCall = 1000;

/** The attachments of one call. It holds their targets strongly until the call ends and weakly after that. */
export class CallAttachments {
  #list: Attachment[] = [];

  add(attachment: Attachment): boolean {
    if (this.#list.length >= mostPerCall) return false;
    this.#list.push(attachment);
    return true;
  }

  /** Drops strong references to targets and listeners, and forgets attachments that are already gone. */
  end(): void {
    this.#list = this.#still();
    for (const attachment of this.#list) attachment.weaken();
  }

  /** The attachments that still exist. A listener whose target was collected does not count. */
  left(): StageLeftovers {
    const still = this.#still();
    const timers = still.filter(({ kind }) => kind === 'timer').length;
    return { listeners: still.length - timers, timers };
  }

  #still(): Attachment[] {
    const look = new AuditLook(performance.now());
    return this.#list.filter((attachment) => {
      try {
        return attachment.isAttached(look);
      } catch {
        return false;
      }
    });
  }
}

/** Calls whose attachments are followed, by the id of their scope. While there are none, no method is tapped. */
class AttachmentTap implements AttachmentSink {
  readonly #calls = new Map<number, CallAttachments>();
  #untap: (() => void) | undefined;

  follow(scopeId: number): CallAttachments {
    const call = new CallAttachments();
    this.#calls.set(scopeId, call);
    if (this.#untap === undefined) {
      const untap = [tapListeners(this), tapTimers(this, undefined, 0)];
      this.#untap = () => untap.forEach((each) => each());
    }
    return call;
  }

  unfollow(scopeId: number): void {
    this.#calls.get(scopeId)?.end();
    this.#calls.delete(scopeId);
    if (this.#calls.size > 0) return;
    this.#untap?.();
    this.#untap = undefined;
  }

  admit(): boolean {
    return this.#callHere() !== undefined;
  }

  add(attachment: Attachment): boolean {
    return this.#callHere()?.add(attachment) ?? false;
  }

  /** The innermost followed call that the running code belongs to. */
  #callHere(): CallAttachments | undefined {
    for (let scope = currentScopeOrNone(); scope !== undefined; scope = scope.parent) {
      const call = this.#calls.get(scope.id);
      if (call !== undefined) return call;
    }
    return undefined;
  }
}

function currentScopeOrNone(): ReturnType<typeof currentScope> | undefined {
  const scope = currentScope();
  return scope.id === 0 ? undefined : scope;
}

export const attachmentTap = new AttachmentTap();
