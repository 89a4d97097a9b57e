import type { ReplayReader } from './reader.ts';

/** A web stream over a reader; cancelling it leaves the other readers alone. */
export function readableOf<T>(reader: ReplayReader<T>): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { value, done } = await reader.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await reader.return();
      },
    },
    { highWaterMark: 0 },
  );
}
