/** The task of every pool: answers, or does what the input asks. */
const kept = [];

export default async function task({ deed = 'answer', n = 0, bytes = 0 }) {
  switch (deed) {
    case 'heap':
      while (process.memoryUsage().heapUsed < bytes)
        kept.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
      return kept.splice(0).length;
    case 'buffers':
      for (let taken = 0; taken < bytes; taken += 8 * 1024 ** 2) {
        kept.push(Buffer.alloc(8 * 1024 ** 2, 1));
        await new Promise(setImmediate);
      }
      return kept.splice(0).length;
    case 'loop':
      for (;;);
    case 'hang':
      return new Promise(() => setInterval(() => undefined, 1000));
    case 'exit':
      return process.exit(3);
    default:
      return n + 1;
  }
}
