import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { removeFile } from './remove-file.ts';

const mostWatchers = 16;

/**
 * The feed of a governed process: a socket only its owner can open, on which every reading goes out as one line.
 * A watcher that does not read skips frames; nothing is ever queued for it beyond one frame. The socket never keeps the process alive.
 */
export class FeedServer {
  readonly #path: string;
  readonly #watchers = new Set<Socket>();
  #server: Server | undefined;
  #skipped = 0;

  constructor(path: string) {
    this.#path = path;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  get skippedFrames(): number {
    return this.#skipped;
  }

  listen(onFault: (error: Error) => void): void {
    removeFile(this.#path);
    const server = createServer((socket) => this.#welcome(socket));
    server.on('error', onFault);
    server.listen(this.#path, () => {
      try {
        chmodSync(this.#path, 0o600);
      } catch (error) {
        onFault(error as Error);
      }
    });
    server.unref();
    this.#server = server;
  }

  /** Sends a frame to every watcher that has read the one before. The text is made only when somebody watches. */
  push(frame: () => string): void {
    if (this.#watchers.size === 0) return;
    const line = `${frame()}\n`;
    for (const socket of this.#watchers) {
      if (socket.writableNeedDrain || socket.writableLength > 0) this.#skipped++;
      else socket.write(line);
    }
  }

  close(): void {
    for (const socket of this.#watchers) socket.destroy();
    this.#watchers.clear();
    this.#server?.close();
    removeFile(this.#path);
  }

  #welcome(socket: Socket): void {
    if (this.#watchers.size >= mostWatchers) {
      socket.destroy();
      return;
    }
    socket.unref();
    socket.resume();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#watchers.delete(socket));
    this.#watchers.add(socket);
  }
}
