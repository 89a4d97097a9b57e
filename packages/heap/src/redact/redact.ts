import { open, unlink, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { failure } from '../errors.ts';
import { FileSource } from '../graph/file-source.ts';
import { openSnapshot } from '../snapshot.ts';
import { BadInput } from './bad-input.ts';
import { ByteWriter } from './byte-writer.ts';
import { Rewriter } from './rewriter.ts';
import { SectionScanner, type SectionListener } from './section-scanner.ts';
import { EdgeSurvey, Surveyor, type Survey } from './survey.ts';

export interface RedactOptions {
  /** Property names to keep beside those of the language, of Node.js and those that code refers to. */
  readonly keepNames?: Iterable<string>;
  /** Called with bytes read and bytes to read, at most once per megabyte. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface RedactResult {
  readonly input: string;
  readonly output: string;
  readonly inputBytes: number;
  readonly outputBytes: number;
  /** Entries of the string table that stayed as they were: names of code. */
  readonly keptStrings: number;
  /** Entries that became placeholders. */
  readonly replacedStrings: number;
}

/**
 * Writes a snapshot without the content of any string: structure, sizes and the names that code is made of stay, so that
 * an analysis of the result reads the same. Works on files of any length; checking the input first takes about half of its size in memory.
 */
export async function redact(
  input: string,
  output: string,
  options: RedactOptions = {},
): Promise<RedactResult> {
  const source = await opened(input, output, options);
  try {
    return await redactOpened(source, output, options);
  } finally {
    source.close();
  }
}

async function redactOpened(
  source: FileSource,
  output: string,
  options: RedactOptions,
): Promise<RedactResult> {
  const { label: input, bytes: inputBytes } = source;
  const passes = { done: 0, total: inputBytes * 3 };
  const surveyor = new Surveyor(new Set(options.keepNames));
  await scan(source, surveyor, passes, options);
  const survey = surveyed(surveyor, input);
  const edges = new EdgeSurvey(survey);
  await scan(source, edges, passes, options);
  const writer = new ByteWriter();
  const rewriter = new Rewriter(survey, edges, writer);
  const file = await create(output);
  try {
    let outputBytes = 0;
    const drain = async (all: boolean): Promise<void> => {
      for (const block of writer.take(all)) {
        outputBytes += block.length;
        await file.writeFile(block);
      }
    };
    await scan(source, rewriter, passes, options, () => drain(false));
    rewriter.finish();
    await drain(true);
    await file.close();
    const { keptStrings, replacedStrings } = rewriter;
    return { input, output, inputBytes, outputBytes, keptStrings, replacedStrings };
  } catch (error) {
    await file.close().catch(() => {});
    await unlink(output).catch(() => {});
    throw error;
  }
}

/** What the first pass found; a file without a header has nothing to find. */
function surveyed(surveyor: Surveyor, input: string): Survey {
  try {
    return surveyor.result();
  } catch (error) {
    throw error instanceof BadInput ? placed(error, input, 0) : error;
  }
}

/** Opens the input as `analyze` does, and reads all of it once: what that refuses is refused here, with the same error. */
async function opened(input: string, output: string, options: RedactOptions): Promise<FileSource> {
  const file = new FileSource(input);
  try {
    if (file.isCompressed)
      throw failure('PLM_HEAP_REDACT_SOURCE', { file: input, reason: 'it is compressed' });
    if (resolve(input) === resolve(output)) {
      throw failure('PLM_HEAP_REDACT_TARGET', { file: output, reason: 'it is the input' });
    }
    const graph = await openSnapshot(input, options.signal === undefined ? {} : { signal: options.signal });
    graph.close();
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** The output is as private as the input until its owner decides otherwise. */
async function create(output: string): Promise<FileHandle> {
  try {
    return await open(output, 'wx', 0o600);
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'it exists already' : (error as Error).message;
    throw failure('PLM_HEAP_REDACT_TARGET', { file: output, reason }, { cause: error });
  }
}

async function scan(
  source: FileSource,
  listener: SectionListener,
  passes: { done: number; total: number },
  options: RedactOptions,
  afterChunk?: () => Promise<void>,
): Promise<void> {
  const scanner = new SectionScanner(listener, source.label);
  try {
    for await (const chunk of source.chunks()) {
      options.signal?.throwIfAborted();
      scanner.push(chunk);
      await afterChunk?.();
      passes.done += chunk.length;
      options.onProgress?.(passes.done, passes.total);
    }
  } catch (error) {
    throw error instanceof BadInput ? placed(error, source.label, scanner.offset) : error;
  }
  scanner.finish();
}

function placed({ fault }: BadInput, file: string, offset: number): Error {
  return fault.kind === 'header'
    ? failure('PLM_HEAP_HEADER', { file, offset, problem: fault.problem })
    : failure('PLM_HEAP_INDEX', { file, offset, what: fault.what, value: fault.value, limit: fault.limit });
}
