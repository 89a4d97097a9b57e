/**
 * `plimsoll gate` loads this file into the processes of a command. It counts the HTTP requests that they serve and measures live memory in
 * between. The record is written at every measurement, so that a killed process leaves one, too.
 */
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { isMainThread } from 'node:worker_threads';
import { forceGc } from '@plimsoll/leak/internal/floor/forced-gc';
import { countFileVariable } from './count-file.ts';
import type { CountRecord } from './count-file.ts';

const leastGapMs = 250;
const firstCalls = 64;
const mostPoints = 64;

const prefix = process.env[countFileVariable];
if (prefix !== undefined && isMainThread) count(`${prefix}.${process.pid}`);

function count(file: string): void {
  let calls = 0;
  let peakBytes = 0;
  let measuredAt = performance.now();
  let nextCalls = firstCalls;
  let points: [number, number][] = [];
  const write = (): void => {
    const record: CountRecord = { pid: process.pid, calls, points, peakBytes };
    try {
      writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
    } catch {
      // The folder is gone, so the figures are not needed any more.
    }
  };
  const measure = (): void => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
    forceGc();
    const { heapUsed, external } = process.memoryUsage();
    points.push([calls, heapUsed + external]);
    if (points.length > mostPoints) points = points.filter((_, i) => i % 2 === 0);
    measuredAt = performance.now();
    nextCalls = calls + Math.max(firstCalls, Math.round(0.05 * calls));
    write();
  };
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own server
  const emit = http.Server.prototype.emit as (...args: unknown[]) => boolean;
  http.Server.prototype.emit = function counted(this: http.Server, ...args: unknown[]) {
    if (args[0] === 'request') {
      calls++;
      if (calls >= nextCalls && performance.now() - measuredAt >= leastGapMs) setImmediate(measure);
    }
    return Reflect.apply(emit, this, args);
  } as typeof http.Server.prototype.emit;
  const sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, 500);
  sampler.unref();
  process.once('exit', measure);
}
