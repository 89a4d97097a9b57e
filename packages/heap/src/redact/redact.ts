import { open, unlink, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { failure } from '../errors.ts';
import { FileSource } from '../graph/file-source.ts';
import { scan, type Scan } from '../graph/scan.ts';
import { breathing } from '../snapshot.ts';
import { ByteWriter } from './byte-writer.ts';
import { Rewriter } from './rewriter.ts';
import { SectionScanner } from './section-scanner.ts';
import { RowPatches } from './row-patches.ts';
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
    const found = await scanned(source, output, options);
    const survey = surveyNames(found, new Set(options.keepNames));
    const writer = new ByteWriter();
    const rewriter = new Rewriter(survey, writer, changesOf(source, found, survey));
    return await write(source, rewriter, writer, output, options);
  } finally {
    source.close();
  }
}

/** The rows whose names get another index, by section. */
function changesOf(
  source: FileSource,
  { layout, rowBlocks, locations }: Scan,
  { nodes, edges, nodeName, edgeName, second }: RedactionSurvey,
): ConstructorParameters<typeof Rewriter>[2] {
  const placeOf = (name: number): number => second.get(name) as number;
  const { node, edge, nodeFields, edgeFields } = layout;
  const nodeRows = { blocks: rowBlocks.nodes, width: nodeFields, nameAt: node.name };
  const edgeRows = { blocks: rowBlocks.edges, width: edgeFields, nameAt: edge.name_or_index };
  const changes = new Map<string, Pick<RowPatches, 'next'>>([
    ['nodes', new RowPatches(source, nodeRows, nodes, (row) => placeOf(nodeName(row)))],
    ['edges', new RowPatches(source, edgeRows, edges, (row) => placeOf(edgeName(row)))],
  ]);
  // Where the header does not say how locations are written, nobody has read them.
  if (locations.count > 0) changes.set('locations', { next: () => undefined });
  return changes;
}

async function write(
  source: FileSource,
  rewriter: Rewriter,
  writer: ByteWriter,
  output: string,
  options: RedactOptions,
): Promise<RedactResult> {
  const { label: input, bytes: inputBytes } = source;
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
async function scanned(source: FileSource, output: string, options: RedactOptions): Promise<Scan> {
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
  return scan(source, { kernel: 'auto', breath, keepRows: true, withoutShapes: true });
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
  const chunk = Buffer.allocUnsafeSlow(1 << 20);
  let done = 0;
  for (let read = source.readAt(chunk, 0); read > 0; read = source.readAt(chunk, done)) {
    options.signal?.throwIfAborted();
    scanner.push(chunk.subarray(0, read));
    // All that refers to the chunk is written before the next one takes its place.
    await afterChunk();
    done += read;
    options.onProgress?.(source.bytes + done, source.bytes * 2);
  }
  scanner.finish();
}
