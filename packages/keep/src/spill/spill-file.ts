import { closeSync, mkdtempSync, openSync, readSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a keeper puts what does not fit into memory; made when it is needed first. */
export interface SpillTarget {
  /** Opens a file for reading and writing and returns its descriptor, which the keeper closes. */
  open(): number;
}

/** The fd of a file whose keeper was collected without being released. */
const abandoned = new FinalizationRegistry<{ fd: number }>((file) => close(file));

/**
 * A temporary file without a name: it is unlinked as soon as it is open, so that nobody else can read it and nothing stays behind when the
 * process dies. Only ever appended to; what is not needed any more goes with the whole file.
 */
export class SpillFile {
  readonly #target: SpillTarget;
  readonly #held = { fd: -1 };
  #size = 0;
  #isFollowed = false;

  constructor(target: SpillTarget = defaultTarget) {
    this.#target = target;
  }

  /** Bytes written. */
  get bytes(): number {
    return this.#size;
  }

  get isOpen(): boolean {
    return this.#held.fd >= 0;
  }

  /** Appends all of the bytes and returns their place; throws what the disk says, and then nothing counts as written. */
  write(bytes: Uint8Array): number {
    if (this.#held.fd < 0) this.#open();
    const position = this.#size;
    for (let done = 0; done < bytes.length;) {
      const written = writeSync(this.#held.fd, bytes, done, bytes.length - done, position + done);
      if (written === 0) throw new Error('the disk took nothing');
      done += written;
    }
    this.#size = position + bytes.length;
    return position;
  }

  read(position: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length;) {
      const read = readSync(this.#held.fd, bytes, done, length - done, position + done);
      if (read === 0) throw new Error(`the file ends ${length - done} bytes early`);
      done += read;
    }
    return bytes;
  }

  /** Most files are never written to, so the collector is asked to follow one from its first write on. */
  #open(): void {
    this.#held.fd = this.#target.open();
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    abandoned.register(this, this.#held);
  }

  /** Gives the space back; the next write opens a new file. */
  close(): void {
    close(this.#held);
    this.#size = 0;
  }
}

/** Unlinked files of mode 0600 in a directory, default the system's temporary one. */
export function tempTarget(directory?: string): SpillTarget {
  return directory === undefined ? defaultTarget : target(directory);
}

function target(directory: string): SpillTarget {
  return {
    open() {
      // A directory of our own, because nobody else can guess its random name and make it first.
      const home = mkdtempSync(join(directory, 'plimsoll-spill-'));
      const path = join(home, 'spill');
      try {
        const fd = openSync(path, 'wx+', 0o600);
        unlinkSync(path);
        return fd;
      } finally {
        rmdirSync(home);
      }
    },
  };
}

const defaultTarget = target(tmpdir());

function close(file: { fd: number }): void {
  const { fd } = file;
  file.fd = -1;
  if (fd < 0) return;
  try {
    closeSync(fd);
  } catch {
    // The descriptor was closed by somebody else; there is nothing left to give back.
  }
}
