import type { Server } from 'node:net';

/** One message on the channel to the supervisor. It carries a listening socket; the last message carries none. */
export interface ListenerMessage {
  readonly plimsoll: 'listener';
  /** The port; undefined with the last message. */
  readonly port?: number;
}

type Receive = (message: unknown, handle: unknown) => void;

/**
 * The channel to `plimsoll run`, over which one life hands its listening sockets to the next. Node.js sets it up as for a forked process.
 * It is hidden from the program, because a program that finds `process.send` would believe that it was forked.
 */
export class SupervisorLink {
  readonly #send: NonNullable<typeof process.send>;
  readonly #channel: typeof process.channel;

  private constructor(send: NonNullable<typeof process.send>) {
    this.#send = send;
    this.#channel = process.channel;
  }

  /** The link of this process; undefined when its parent is not a supervisor. */
  static take(): SupervisorLink | undefined {
    if (process.send === undefined || process.env['NODE_UNIQUE_ID'] !== undefined) return undefined;
    const link = new SupervisorLink(process.send.bind(process));
    Reflect.deleteProperty(process, 'send');
    link.#channel?.unref();
    return link;
  }

  /** Sends a listening socket and resolves when it was sent. The socket stays open here. */
  send(message: ListenerMessage, server?: Server): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#send(message, server, { keepOpen: true }, (error) =>
        error === null ? resolve() : reject(error),
      );
    });
  }

  /** Receives the sockets of the old life. */
  onListener(receive: (message: ListenerMessage, server: Server | undefined) => void): void {
    const onMessage: Receive = (message, handle) => {
      const { plimsoll } = (message ?? {}) as Partial<ListenerMessage>;
      if (plimsoll === 'listener') receive(message as ListenerMessage, handle as Server | undefined);
    };
    process.on('message', onMessage);
    // A listener of messages would keep the process alive.
    this.#channel?.unref();
  }
}
