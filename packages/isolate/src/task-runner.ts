import { isStream, StreamPort, withStreams } from './stream-port.ts';
import { sentError } from './wire.ts';
import type { FromTask, StreamMessage, ToTask } from './wire.ts';

export type Task = (input: unknown) => unknown;

interface TaskRunnerOptions {
  readonly send: (message: FromTask) => void;
  /** Bytes in use by this process, without a collection. */
  readonly used: () => number;
  readonly collect: () => void;
  /** Called when a task begins and ends, so that the guard checks often enough. */
  readonly onBusy: (isBusy: boolean) => void;
}

/** Runs the tasks that arrive, one after the other, inside the process that was made for them. */
export class TaskRunner {
  readonly #options: TaskRunnerOptions;
  readonly #waiting: ToTask[] = [];
  #task: Task | undefined;
  #port: StreamPort;

  constructor(options: TaskRunnerOptions) {
    this.#options = options;
    this.#port = this.#newPort();
  }

  /** Runs the tasks that arrived before the module was loaded. */
  use(module: Readonly<Record<string, unknown>>, name: string): void {
    const found = module[name];
    if (typeof found !== 'function') {
      this.#options.send({ kind: 'unusable', why: `it has no function "${name}"`, error: undefined });
      return;
    }
    this.#task = found as Task;
    this.#options.send({ kind: 'ready', used: this.#options.used() });
    for (const message of this.#waiting.splice(0)) this.receive(message);
  }

  failed(thrown: unknown): void {
    const error = sentError(thrown);
    this.#options.send({ kind: 'unusable', why: error.message.split('\n', 1)[0] as string, error });
  }

  receive(message: ToTask): void {
    if (this.#task === undefined) this.#waiting.push(message);
    else if (message.kind === 'run') void this.#run(this.#task, message);
    else if (message.kind === 'collect') {
      this.#options.collect();
      this.#options.send({ kind: 'floor', used: this.#options.used() });
    } else this.#port.receive(message);
  }

  async #run(run: Task, message: ToTask & { kind: 'run' }): Promise<void> {
    const { task, streams } = message;
    const { send, used, onBusy } = this.#options;
    const port = (this.#port = this.#newPort());
    onBusy(true);
    try {
      const input = withStreams(message.input, streams, (key) => port.open(`${task}:${key}`));
      const value = await run(input);
      if (isStream(value)) {
        send({ kind: 'streaming', task });
        await port.offer(`${task}>`, value);
        send({ kind: 'result', task, value: undefined, used: used() });
      } else this.#answer(task, value);
    } catch (thrown) {
      send({ kind: 'error', task, error: sentError(thrown), used: used() });
    } finally {
      port.close();
      onBusy(false);
    }
  }

  #answer(task: number, value: unknown): void {
    const { send, used } = this.#options;
    try {
      send({ kind: 'result', task, value, used: used() });
    } catch (thrown) {
      send({ kind: 'error', task, error: sentError(thrown), used: used(), isNotCloneable: true });
    }
  }

  #newPort(): StreamPort {
    return new StreamPort((message: StreamMessage) => this.#options.send(message));
  }
}
