import { createReadStream } from 'node:fs';
import { open, stat, unlink, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { failure } from '../errors.ts';
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
 * an analysis of the result reads the same. Works on files of any length; holds 9 bytes per node and 5 per string.
 */
export async function redact(
  input: string,
  output: string,
  options: RedactOptions = {},
): Promise<RedactResult> {
  const inputBytes = await sizeOf(input, output);
  const passes = { done: 0, total: inputBytes * 3 };
  const surveyor = new Surveyor(new Set(options.keepNames));
  await scan(input, surveyor, passes, options);
  const survey = surveyed(surveyor, input);
  const edges = new EdgeSurvey(survey);
  await scan(input, edges, passes, options);
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
    await scan(input, rewriter, passes, options, () => drain(false));
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

async function sizeOf(input: string, output: string): Promise<number> {
  let found;
  try {
    found = await stat(input);
  } catch (error) {
    throw failure('PLM_HEAP_NOT_FOUND', { file: input, reason: (error as Error).message }, { cause: error });
  }
  if (!found.isFile())
    throw failure('PLM_HEAP_REDACT_SOURCE', { file: input, reason: 'it is not a regular file' });
  if (await isCompressed(input))
    throw failure('PLM_HEAP_REDACT_SOURCE', { file: input, reason: 'it is compressed' });
  if (resolve(input) === resolve(output)) {
    throw failure('PLM_HEAP_REDACT_TARGET', { file: output, reason: 'it is the input' });
  }
  return found.size;
}

/** gzip and zstd by their first bytes. */
async function isCompressed(input: string): Promise<boolean> {
  const file = await open(input);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.readUInt16BE() === 0x1f8b || buffer.readUInt32LE() === 0xfd2fb528;
  } finally {
    await file.close();
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
  input: string,
  listener: SectionListener,
  passes: { done: number; total: number },
  options: RedactOptions,
  afterChunk?: () => Promise<void>,
): Promise<void> {
  const scanner = new SectionScanner(listener, input);
  const stream = createReadStream(input, {
    highWaterMark: 1 << 20,
    ...(options.signal && { signal: options.signal }),
  });
  try {
    for await (const chunk of stream) {
      scanner.push(chunk as Buffer);
      await afterChunk?.();
      passes.done += (chunk as Buffer).length;
      options.onProgress?.(passes.done, passes.total);
    }
  } catch (error) {
    throw error instanceof BadInput ? placed(error, input, scanner.offset) : error;
  }
  scanner.finish();
}

function placed({ fault }: BadInput, file: string, offset: number): Error {
  return fault.kind === 'header'
    ? failure('PLM_HEAP_HEADER', { file, offset, problem: fault.problem })
    : failure('PLM_HEAP_INDEX', { file, offset, what: fault.what, value: fault.value, limit: fault.limit });
}
