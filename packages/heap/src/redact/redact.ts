import { open, unlink, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { failure } from '../errors.ts';
import { FileSource } from '../graph/file-source.ts';
import { scan } from '../graph/scan.ts';
import { breathing } from '../snapshot.ts';
import { ByteWriter } from './byte-writer.ts';
import { Rewriter } from './rewriter.ts';
import { SectionScanner } from './section-scanner.ts';
import { surveyNames, type RedactionSurvey } from './survey.ts';

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
 * an analysis of the result reads the same. Takes about the size of the file in memory.
 */
export async function redact(
  input: string,
  output: string,
  options: RedactOptions = {},
): Promise<RedactResult> {
  const source = new FileSource(input);
  try {
    return await redactOpened(source, await surveyed(source, output, options), output, options);
  } finally {
    source.close();
  }
}

async function redactOpened(
  source: FileSource,
  survey: RedactionSurvey,
  output: string,
  options: RedactOptions,
): Promise<RedactResult> {
  const { label: input, bytes: inputBytes } = source;
  const writer = new ByteWriter();
  const rewriter = new Rewriter(survey, writer);
  const file = await create(output);
  try {
    let outputBytes = 0;
    const drain = async (all: boolean): Promise<void> => {
      for (const block of writer.take(all)) {
        outputBytes += block.length;
        await file.writeFile(block);
      }
    };
    await rewrite(source, rewriter, options, () => drain(false));
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

/** Reads all of the input as `analyze` does: what that refuses is refused here, with the same error. */
async function surveyed(
  source: FileSource,
  output: string,
  options: RedactOptions,
): Promise<RedactionSurvey> {
  const { label: input, bytes } = source;
  if (source.isCompressed)
    throw failure('PLM_HEAP_REDACT_SOURCE', { file: input, reason: 'it is compressed' });
  if (resolve(input) === resolve(output)) {
    throw failure('PLM_HEAP_REDACT_TARGET', { file: output, reason: 'it is the input' });
  }
  const breath = breathing(source, {
    onProgress: ({ ratio }) => options.onProgress?.(Math.round(ratio * bytes), bytes * 2),
    ...(options.signal && { signal: options.signal }),
  });
  const found = await scan(source, { kernel: 'auto', breath, keepRows: true });
  return surveyNames(found, new Set(options.keepNames));
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

/** The second pass: from the input to the rewriter, chunk by chunk. */
async function rewrite(
  source: FileSource,
  rewriter: Rewriter,
  options: RedactOptions,
  afterChunk: () => Promise<void>,
): Promise<void> {
  const scanner = new SectionScanner(rewriter, source.label);
  let done = 0;
  for await (const chunk of source.chunks()) {
    options.signal?.throwIfAborted();
    scanner.push(chunk);
    await afterChunk();
    done += chunk.length;
    options.onProgress?.(source.bytes + done, source.bytes * 2);
  }
  scanner.finish();
}
