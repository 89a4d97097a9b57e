import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { InsideAsk, Hello } from './inside/protocol.ts';

interface Inside {
  readonly pid: number;
  readonly socket: Socket;
}

/** A listening port and its process. */
type Listening = NonNullable<Hello['listening']> & { readonly pid: number };

const askTimeoutMs = 30_000;

/** The connection to the processes under test. Each process connects by itself and answers requests. */
export class InsideLink implements Disposable {
  readonly path: string;
  readonly #dir: string;
  readonly #server: Server;
  readonly #insides: Inside[] = [];
  readonly #ports: Listening[] = [];
  readonly #waiting = new Map<number, (answer: { value?: unknown; error?: string }) => void>();
  readonly #heard: (() => void)[] = [];
  #lastId = 0;

  private constructor(dir: string, server: Server) {
    this.#dir = dir;
    this.#server = server;
    this.path = join(dir, 's');
    server.on('connection', (socket) => this.#take(socket));
  }

  static async open(): Promise<InsideLink> {
    const dir = mkdtempSync(join(tmpdir(), 'plimsoll-stress-'));
    const server = createServer();
    const link = new InsideLink(dir, server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(link.path, resolve);
    });
    return link;
  }

  /** Ports that processes of the program listen on, oldest first. */
  get ports(): readonly Listening[] {
    return this.#ports;
  }

  get pids(): readonly number[] {
    return this.#insides.map(({ pid }) => pid);
  }

  /** Waits until a message arrives or the time is over. */
  async heard(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#heard.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Sends a request to one process. Rejects when the process is gone or does not answer in time. */
  ask<Value>(pid: number, ask: InsideAsk, timeoutMs = askTimeoutMs): Promise<Value> {
    const inside = this.#insides.find((each) => each.pid === pid);
    if (inside === undefined) return Promise.reject(new Error(`process ${pid} is gone`));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const end = (error?: Error): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        inside.socket.off('close', closed);
        if (error !== undefined) reject(error);
      };
      const closed = (): void => end(new Error(`process ${pid} ended`));
      const timer = setTimeout(
        () => end(new Error(`process ${pid} did not answer within ${timeoutMs / 1000} s`)),
        timeoutMs,
      );
      inside.socket.once('close', closed);
      this.#waiting.set(id, ({ value, error }) => {
        end(error === undefined ? undefined : new Error(error));
        resolve(value as Value);
      });
      inside.socket.write(`${JSON.stringify({ id, ...ask })}\n`);
    });
  }

  [Symbol.dispose](): void {
    for (const { socket } of this.#insides) socket.destroy();
    this.#server.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #take(socket: Socket): void {
    socket.on('error', () => undefined);
    const lines = createInterface({ input: socket });
    lines.on('error', () => undefined);
    lines.on('line', (line) => {
      let message: { id?: number; value?: unknown; error?: string } & Partial<Hello>;
      try {
        message = JSON.parse(line) as typeof message;
      } catch {
        return;
      }
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
      else if (message.pid !== undefined) this.#greet({ ...message, pid: message.pid }, socket);
    });
    socket.once('close', () => {
      const at = this.#insides.findIndex((each) => each.socket === socket);
      if (at >= 0) this.#insides.splice(at, 1);
    });
  }

  #greet({ pid, listening }: Hello, socket: Socket): void {
    if (!this.#insides.some((each) => each.pid === pid)) this.#insides.push({ pid, socket });
    if (listening !== undefined) this.#ports.push({ ...listening, pid });
    for (const tell of this.#heard.splice(0)) tell();
  }
}
