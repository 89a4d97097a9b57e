import { formatByteSize } from '../units/byte-size.ts';
import { formatDuration } from '../units/duration.ts';
import { entry } from './entry.ts';

/** Errors and warnings of @plimsoll/pipeline. */
export const pipelineErrors = {
  PLM_PIPELINE_OVER_BOUND: entry({
    help: 'The root of a stage holds more than its bound. With memoryBounded and at: "fail" the stage is aborted and fails with this error. Otherwise it is a warning.',
    text: (d: { stage: string; path: string; bytes: number; bound: number }) => ({
      message: `stage "${d.stage}" holds ${formatByteSize(d.bytes)} of its ${formatByteSize(d.bound)} bound (${Math.round((100 * d.bytes) / d.bound)} %).`,
      where: d.path,
      fix: 'let the stage drop used data, pass large results through the OutputBag, or raise the bound.',
    }),
    example: { stage: 'rag', path: 'process/run:rag/stage:rag', bytes: 31_457_280, bound: 20_971_520 },
  }),
  PLM_PIPELINE_CONTEXT_GREW: entry({
    help: 'One run of a stage made its root grow by more than three times the median growth of its earlier runs. It is a warning: the stage goes on.',
    text: (d: { stage: string; path: string; grew: number; median: number; runs: number }) => ({
      message: `stage "${d.stage}" made its context grow by ${formatByteSize(d.grew)}; the median of its last ${d.runs} runs is ${formatByteSize(d.median)}.`,
      where: d.path,
      fix: 'look at the data that the stage puts into its context for this input; bound it with memoryBounded, or give the stage a budget.',
    }),
    example: {
      stage: 'rag',
      path: 'process/run:rag/stage:rag',
      grew: 9_437_184,
      median: 1_048_576,
      runs: 64,
    },
  }),
  PLM_PIPELINE_OUTPUT_UNREAD: entry({
    help: 'An output waits in the bag of a pipeline although several later stages have ended and none of its consumers has read it. It is a warning: the output stays.',
    text: (d: {
      pipeline: string;
      key: string;
      bytes: number;
      stages: number;
      consumers: readonly string[];
    }) => ({
      message: `the output of "${d.key}" (${formatByteSize(d.bytes)}) has waited for ${d.stages} stages; ${d.consumers.join(', ')} did not read it.`,
      where: `pipeline "${d.pipeline}"`,
      fix: 'run its consumers earlier, or do not name a stage in "after" whose output is not needed.',
    }),
    example: { pipeline: 'rag', key: 'load', bytes: 52_428_800, stages: 8, consumers: ['report'] },
  }),
  PLM_PIPELINE_EVENTS_DROPPED: entry({
    help: 'The event sink of a pipeline was full and dropped events. It is a warning: the run goes on without these events.',
    text: (d: { pipeline: string; dropped: number; capacity: number }) => ({
      message: `${d.dropped} events were dropped; the sink holds ${d.capacity}.`,
      where: `pipeline "${d.pipeline}"`,
      fix: 'drain the events while the pipeline runs, emit fewer, or raise events.capacity.',
    }),
    example: { pipeline: 'rag', dropped: 4000, capacity: 1000 },
  }),
  PLM_PIPELINE_GC_WASTED: entry({
    help: 'Forced collections take more time than they are worth. The GcController stops forcing them for the rest of its life. V8 keeps collecting. It is a warning.',
    text: (d: { collections: number; pauseMs: number; freed: number; timeRatio: number; why: string }) => ({
      message: `${d.collections} forced collections stopped the process for ${formatDuration(d.pauseMs)} (${(100 * d.timeRatio).toFixed(1)} % of the time) and freed ${formatByteSize(d.freed)}: ${d.why}.`,
      where: 'GcController',
      fix: 'leave collecting to V8, or raise the threshold.',
    }),
    example: {
      collections: 12,
      pauseMs: 1340,
      freed: 2_097_152,
      timeRatio: 0.31,
      why: 'they free under 5 % of the heap',
    },
  }),
  PLM_PIPELINE_STAGE_TIMEOUT: entry({
    help: 'A stage did not end within its time. Its signal is aborted, and the run fails unless retries are left.',
    text: (d: { stage: string; pipeline: string; ms: number; attempt: number }) => ({
      message: `stage "${d.stage}" did not end within ${formatDuration(d.ms)} (attempt ${d.attempt}).`,
      where: `pipeline "${d.pipeline}"`,
      fix: 'pass context.signal on to the calls of the stage so that they end, or raise timeout.',
    }),
    example: { stage: 'rag', pipeline: 'chat', ms: 5000, attempt: 1 },
  }),
  PLM_PIPELINE_BAD_GRAPH: entry({
    help: 'The stages of a pipeline cannot be run as they are declared: a name is used twice, or a stage comes after one that does not exist yet.',
    text: (d: { pipeline: string; stage: string; why: string }) => ({
      message: `stage "${d.stage}" ${d.why}.`,
      where: `pipeline "${d.pipeline}"`,
      fix: 'declare each stage once, after those that it reads from.',
    }),
    example: { pipeline: 'chat', stage: 'answer', why: 'comes after "retrieve", which is not declared' },
  }),
  PLM_PIPELINE_CANCELLED: entry({
    help: 'A run of a pipeline was cancelled: its signal was aborted, its scope was closed, or it was over its own timeout. Stages that ran were aborted.',
    text: (d: { pipeline: string; reason: string; done: number; stages: number }) => ({
      message: `the run was cancelled after ${d.done} of ${d.stages} stages (${d.reason}).`,
      where: `pipeline "${d.pipeline}"`,
      fix: 'treat it as the end of the request.',
    }),
    example: { pipeline: 'chat', reason: 'client left', done: 3, stages: 12 },
  }),
  PLM_PIPELINE_MESSAGE_TOO_LARGE: entry({
    help: 'A message is larger than its channel takes. It was not accepted.',
    text: (d: { bytes: number; bound: number; from: string }) => ({
      message: `a message takes ${formatByteSize(d.bytes)}; ${formatByteSize(d.bound)} are accepted.`,
      where: d.from,
      fix: 'send a reference to the content, or split it; raise maxBytes when the sender is trusted.',
    }),
    example: { bytes: 9_437_184, bound: 1_048_576, from: 'inbox of agent "planner"' },
  }),
  PLM_PIPELINE_HANDLES_FULL: entry({
    help: 'A file-handle guard holds as many open handles as it may. The new handle was not taken and is closed.',
    text: (d: { guard: string; open: number; max: number }) => ({
      message: `${d.open} handles are open; at most ${d.max} may be.`,
      where: d.guard,
      fix: 'close handles as soon as they are read, or raise max.',
    }),
    example: { guard: 'file handles of process/agent:planner', open: 64, max: 64 },
  }),
};
