/** The reader of files calls this while its module is loaded. The wrapped function is never called, because a worker reads only streams. */
export function promisify(call: () => unknown): () => Promise<unknown> {
  return async () => call();
}
