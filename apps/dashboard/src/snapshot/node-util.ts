/** What the reader of files wraps while its module is loaded. It is never called: a worker reads streams only. */
export function promisify(call: () => unknown): () => Promise<unknown> {
  return async () => call();
}
