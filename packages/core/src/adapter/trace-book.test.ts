import { expect, test } from 'vitest';
import { noteTrace, traceOf } from './trace-book.ts';

const id = (n: number): string => n.toString(16).padStart(32, '0');

test('the newest span of a scope, or of one inside it, is found; the book is bounded', () => {
  expect(traceOf('process/session:1')).toBeUndefined();
  noteTrace('process/session:1/run:1', { traceId: id(1), spanId: 'a' });
  noteTrace('process/session:1/run:2', { traceId: id(2), spanId: 'b' });
  noteTrace('process/session:1/run:1', { traceId: id(3), spanId: 'c' });
  expect(traceOf('process/session:1/run:2')).toEqual({ traceId: id(2), spanId: 'b' });
  expect(traceOf('process/session:1')).toEqual({ traceId: id(3), spanId: 'c' });
  expect(traceOf('process/session:10')).toBeUndefined();
  // The whole process is not about one request.
  expect(traceOf('process')).toBeUndefined();
  noteTrace('process/session:2', { traceId: id(0), spanId: 'none' });
  noteTrace('process/session:2', { traceId: 'no id', spanId: 'none' });
  expect(traceOf('process/session:2')).toBeUndefined();
  for (let i = 1; i <= 1000; i++) noteTrace(`process/tool:${i}`, { traceId: id(i), spanId: '' });
  expect(traceOf('process/session:1')).toBeUndefined();
  expect(traceOf('process/tool:1000')).toBeDefined();
});
