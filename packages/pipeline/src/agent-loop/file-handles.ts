import type { EventEmitter } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { currentScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { countOption } from '@plimsoll/keep/internal/bound';

export interface FileHandleGuardOptions {
  /** Most handles open at once. Required. */
  readonly max: number;
  /** Scope that owns the handles, default the current one. Handles that are open when it closes are closed with it. */
  readonly scope?: Scope;
}

/** Bounds the number of open files of an agent, and closes forgotten ones when its scope closes. */
export class FileHandleGuard {
  readonly #max: number;
  readonly #scope: Scope;
  readonly #open = new Set<FileHandle>();
  #refused = 0;

  constructor(options: FileHandleGuardOptions) {
    const max = countOption('FileHandleGuard', 'max', options?.max);
    if (max === undefined)
      throw failure('PLM_KEEP_UNBOUNDED', { keeper: 'FileHandleGuard', options: ['max'] });
    this.#max = max;
    this.#scope = options.scope ?? currentScope();
  }

  get open(): number {
    return this.#open.size;
  }

  get refused(): number {
    return this.#refused;
  }

  /** Opens a file under the guard: `await using file = await guard.take(() => open(path))`. When it is full, the file is not opened. */
  async take(openFile: () => Promise<FileHandle>): Promise<FileHandle> {
    if (this.#open.size >= this.#max) {
      this.#refused++;
      const guard = `file handles of ${this.#scope.path}`;
      throw failure('PLM_PIPELINE_HANDLES_FULL', { guard, open: this.#open.size, max: this.#max });
    }
    const place = Symbol() as unknown as FileHandle;
    // The place is taken before the file is open. Otherwise several at once could pass the bound.
    this.#open.add(place);
    try {
      const handle = await openFile();
      this.#open.add(handle);
      // A handle is an emitter, which its types do not declare.
      (handle as unknown as EventEmitter).once('close', () => {
        this.#open.delete(handle);
        this.#scope.disown(handle);
      });
      this.#scope.own(handle, 'file handle');
      return handle;
    } finally {
      this.#open.delete(place);
    }
  }
}
