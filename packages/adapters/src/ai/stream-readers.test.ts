import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test, vi, type Mock } from 'vitest';
import { StreamReaders } from './stream-readers.ts';

const words = ['one', 'two', 'three'];

/** As the result of `streamText`: one more branch for each reader. */
class Result {
  base: ReadableStream<string> = ReadableStream.from(words);
  get stream(): ReadableStream<string> {
    const [given, kept] = this.base.tee();
    this.base = kept;
    // The end of a branch alone is never confirmed to who cancels it.
    return given.pipeThrough(new TransformStream());
  }
  get partialOutputStream(): undefined {
    return undefined;
  }
}

const readers = new StreamReaders();
afterEach(() => readers.stop());

function followed(): { readonly result: Result; readonly end: Mock<() => void> } {
  const result = new Result();
  const end = vi.fn<() => void>();
  readers.follow(result, end);
  return { result, end };
}

test('a call ends when its only reader leaves early, and does not when it is read to its end', async () => {
  const left = followed();
  for await (const word of left.result.stream.pipeThrough(new TextEncoderStream())) {
    expect(word.length).toBe(3);
    break;
  }
  const whole = followed();
  const seen: string[] = [];
  const reader = whole.result.stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) seen.push(next.value);
  await turn();
  expect(seen).toEqual(words);
  expect(whole.end).not.toHaveBeenCalled();
});

test.each<[string, (stream: ReadableStream<string>) => Promise<unknown>]>([
  ['its reader', async (stream) => stream.getReader().cancel()],
  ['the stream', async (stream) => stream.cancel('enough')],
  ['what it is piped through', async (stream) => stream.pipeThrough(new TransformStream()).cancel()],
  [
    'what it is piped to',
    async (stream) => {
      const full = new WritableStream({
        write() {
          throw new Error('full');
        },
      });
      await expect(stream.pipeTo(full)).rejects.toThrow('full');
    },
  ],
])('a reader leaves by %s', async (_by, leave) => {
  const { result, end } = followed();
  await leave(result.stream);
  await turn();
  expect(end).toHaveBeenCalledOnce();
});

test('a call goes on while somebody reads it, or asks for the rest after the last one left', async () => {
  const { result, end } = followed();
  const [first, second] = [result.stream, result.stream];
  await first.cancel();
  await turn();
  expect(end).not.toHaveBeenCalled();
  await second.cancel();
  const rest = result.stream;
  await turn();
  expect(end).not.toHaveBeenCalled();
  await rest.cancel();
  await rest.cancel();
  await turn();
  expect(end).toHaveBeenCalledOnce();
});

test('the getters of the class are its own again at the end, and other results are left alone', async () => {
  const before = Object.getOwnPropertyDescriptor(Result.prototype, 'stream');
  const { result, end } = followed();
  readers.follow(new Result(), end);
  readers.follow({}, end);
  expect(Object.hasOwn(new Result().stream, 'cancel')).toBe(false);
  expect(result.partialOutputStream).toBeUndefined();
  readers.stop();
  expect(Object.getOwnPropertyDescriptor(Result.prototype, 'stream')).toEqual(before);
  await result.stream.cancel();
  await turn();
  expect(end).not.toHaveBeenCalled();
});
