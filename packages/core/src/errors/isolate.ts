import { formatByteSize } from '../units/byte-size.ts';
import { formatDuration } from '../units/duration.ts';
import { entry } from './entry.ts';

/** Errors of @plimsoll/isolate. */
export const isolateErrors = {
  PLM_ISOLATE_LIMIT: entry({
    help: 'A task used more memory than its limit and its process was ended. The caller and every other task go on. `error.autopsy` has the cause, the peak and the last line that the process wrote.',
    text: (d: { task: string; limit: number; how: string; peak: number; ms: number }) => ({
      message: `the task used more than its ${formatByteSize(d.limit)}: ${d.how} after ${formatDuration(d.ms)}; peak ${formatByteSize(d.peak)}.`,
      where: d.task,
      fix: 'give the task less input, let it work in parts, or raise limit.',
    }),
    example: {
      task: 'parse-pdf.ts',
      limit: 268_435_456,
      how: 'V8 reached its heap limit',
      peak: 281_018_368,
      ms: 1200,
    },
  }),
  PLM_ISOLATE_TIMEOUT: entry({
    help: 'A task did not answer within its time and its process was ended. The time counts from the moment a process takes the task, not while it waits in the queue.',
    text: (d: { task: string; ms: number }) => ({
      message: `the task did not end within ${formatDuration(d.ms)}.`,
      where: d.task,
      fix: 'give the task less input, or raise timeout.',
    }),
    example: { task: 'parse-pdf.ts', ms: 30_000 },
  }),
  PLM_ISOLATE_CRASHED: entry({
    help: 'The process of a task ended before the task answered: it called process.exit, an error was thrown outside of the task, a native module crashed, or it got a signal.',
    text: (d: { task: string; end: string; line: string | undefined }) => ({
      message: `the process of the task ended with ${d.end} before it answered${d.line === undefined ? '' : ` ("${d.line}")`}.`,
      where: d.task,
      fix: 'let the task return or throw, and look at error.autopsy.lastLine for the last output of the process.',
    }),
    example: { task: 'parse-pdf.ts', end: 'signal SIGSEGV', line: 'Segmentation fault' },
  }),
  PLM_ISOLATE_ABORTED: entry({
    help: 'The caller gave the task up: its signal was aborted, or the scope that owned the call was closed. The process of the task was ended. `error.cause` is the reason of the signal.',
    text: (d: { task: string; reason: string }) => ({
      message: `the task was given up (${d.reason}).`,
      where: d.task,
      fix: 'treat it as the end of the request.',
    }),
    example: { task: 'parse-pdf.ts', reason: 'scope process/session:42 was closed' },
  }),
  PLM_ISOLATE_QUEUE_FULL: entry({
    help: 'Every process of the pool is busy and as many calls wait as may wait. The call was not taken.',
    text: (d: { task: string; size: number; waiting: number }) => ({
      message: `${d.size} processes are busy and ${d.waiting} calls wait; no more are taken.`,
      where: d.task,
      fix: 'refuse work further up (admit), or raise size or queue.',
    }),
    example: { task: 'parse-pdf.ts', size: 4, waiting: 64 },
  }),
  PLM_ISOLATE_CLOSED: entry({
    help: 'An isolate was called after close(), or closed while the call ran.',
    text: (d: { task: string }) => ({
      message: 'the isolate is closed.',
      where: d.task,
      fix: 'close it after the last call has ended, or make a new one.',
    }),
    example: { task: 'parse-pdf.ts' },
  }),
  PLM_ISOLATE_BAD_OPTION: entry({
    help: 'An option of isolate has a value that makes no sense. limit and timeout are required, because without them the task has no bound.',
    text: (d: { option: string; value: string; accepted: string }) => ({
      message: `${d.option} is ${d.value}; it has to be ${d.accepted}.`,
      where: 'options of isolate',
      fix: `set ${d.option} to ${d.accepted}.`,
    }),
    example: { option: 'limit', value: 'undefined', accepted: 'a size of 16 MiB or more such as "256 MiB"' },
  }),
  PLM_ISOLATE_BAD_MODULE: entry({
    help: 'The module of a task could not be loaded in its process, or does not export the function. `error.cause` is the error of the loader.',
    text: (d: { task: string; why: string }) => ({
      message: `the module cannot be used: ${d.why.replace(/\.$/, '')}.`,
      where: d.task,
      fix: 'export the task as default function, or name its export with the option "export".',
    }),
    example: { task: 'parse-pdf.ts', why: 'it has no function "default"' },
  }),
  PLM_ISOLATE_NOT_CLONEABLE: entry({
    help: 'The input or the result of a task holds something that cannot be copied to another process, such as a function or a socket.',
    text: (d: { task: string; what: string; why: string }) => ({
      message: `the ${d.what} cannot be copied to another process: ${d.why}.`,
      where: d.task,
      fix: 'pass plain data, buffers, or a stream; open sockets and files inside the task.',
    }),
    example: { task: 'parse-pdf.ts', what: 'input', why: '() => {} could not be cloned' },
  }),
};
