/** Preloaded into the unbound server: tells its parent the live bytes after a collection, which is what the load asks for. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
const everyMs = 5000;

setInterval(() => {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ bytes: heapUsed + external });
}, everyMs).unref();
process.channel?.unref();
