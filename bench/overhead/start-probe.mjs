/** A server that prints what its first seconds took, as JSON. Run with and without the preload. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const ms = ({ user, system }) => (user + system) / 1000;
const firstLineMs = performance.now();
createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');

let before = ms(process.threadCpuUsage());
let longestMs = 0;
// The CPU time of the main thread between two turns; the time on the clock would count what other programs took.
const turns = setInterval(() => {
  const now = ms(process.threadCpuUsage());
  longestMs = Math.max(longestMs, now - before);
  before = ms(process.threadCpuUsage());
}, 1);

setTimeout(() => clearInterval(turns), 2000);
setTimeout(() => {
  const { rss } = process.memoryUsage();
  const privateKiB = /^Anonymous: +(\d+) kB/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))?.[1];
  const row = {
    firstLineMs,
    longestMs,
    cpuMs: ms(process.cpuUsage()),
    rssBytes: rss,
    ownBytes: Number(privateKiB) * 1024,
  };
  process.stdout.write(JSON.stringify(row), () => process.exit());
}, 3000);
