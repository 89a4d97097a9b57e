import { entry } from './entry.ts';

/** Where in the input: a file name (or "stream") and the byte offset into the uncompressed text. */
interface ReadPlace {
  readonly file: string;
  readonly offset: number;
}

const at = (place: ReadPlace): string => `${place.file}, byte ${place.offset}`;
const again =
  'take the snapshot again and copy the whole file; a snapshot is written in one go and cannot be repaired.';

/** Errors of opening and reading a snapshot. */
export const readErrors = {
  PLM_HEAP_NOT_FOUND: entry({
    help: 'The path given does not exist or may not be read.',
    text: (d: { file: string; reason: string }) => ({
      message: `"${d.file}" cannot be opened: ${d.reason}.`,
      where: d.file,
      fix: 'check the path and the permissions of the file.',
    }),
    example: { file: 'app.heapsnapshot', reason: 'no such file or directory' },
  }),
  PLM_HEAP_NOT_A_FILE: entry({
    help: 'A path is opened only when it is a regular file: a FIFO or a device may never answer or never end. A pipe is read as standard input.',
    text: (d: { file: string; kind: string }) => ({
      message: `"${d.file}" is a ${d.kind}, not a regular file.`,
      where: d.file,
      fix: 'pass the .heapsnapshot file itself, such as "snapshots/app.heapsnapshot", or pipe it into "plimsoll analyze -".',
    }),
    example: { file: 'snapshots', kind: 'directory' },
  }),
  PLM_HEAP_EMPTY: entry({
    help: 'The input has no bytes. V8 creates the file before it writes it, so a process killed while it took the snapshot leaves an empty file.',
    text: (d: ReadPlace) => ({
      message: 'the input is empty.',
      where: at(d),
      fix: again,
    }),
    example: { file: 'app.heapsnapshot', offset: 0 },
  }),
  PLM_HEAP_NOT_A_SNAPSHOT: entry({
    help: 'The input does not begin like a V8 heap snapshot, a JSON object whose first key is "snapshot".',
    text: (d: ReadPlace & { found: string }) => ({
      message: `this is not a V8 heap snapshot: it begins with ${d.found}, not with {"snapshot": ...}.`,
      where: at(d),
      fix: 'pass a file written by v8.writeHeapSnapshot(), Chrome DevTools or "plimsoll"; CPU profiles and heap profiles are other formats.',
    }),
    example: { file: 'profile.cpuprofile', offset: 0, found: '{"nodes":' },
  }),
  PLM_HEAP_HEADER: entry({
    help: 'The header (the "snapshot" object) lacks a field that the rest of the file is read by, or a field has a value that no V8 writes.',
    text: (d: ReadPlace & { problem: string }) => ({
      message: `the header of the snapshot cannot be used: ${d.problem}.`,
      where: at(d),
      fix: again,
    }),
    example: { file: 'app.heapsnapshot', offset: 12, problem: 'meta.node_fields has no "edge_count"' },
  }),
  PLM_HEAP_TRUNCATED: entry({
    help: 'The input ends in the middle of a section. Usually the disk was full or the process died while the snapshot was written.',
    text: (d: ReadPlace & { section: string; detail: string }) => ({
      message: `the input ends inside ${d.section}${d.detail === '' ? '' : `, ${d.detail}`}.`,
      where: at(d),
      fix: again,
    }),
    example: {
      file: 'app.heapsnapshot',
      offset: 1_048_576,
      section: 'section "edges"',
      detail: 'after 41007 of 1279340 edges',
    },
  }),
  PLM_HEAP_SYNTAX: entry({
    help: 'A byte stands where the format does not allow it.',
    text: (d: ReadPlace & { found: string; expected: string }) => ({
      message: `found ${d.found} where ${d.expected} has to be.`,
      where: at(d),
      fix: again,
    }),
    example: {
      file: 'app.heapsnapshot',
      offset: 2041,
      found: '"x"',
      expected: 'a number of section "nodes"',
    },
  }),
  PLM_HEAP_COUNT: entry({
    help: 'A section has more or fewer rows than the header or another section says, so that every index after it would be wrong.',
    text: (d: ReadPlace & { what: string; found: number; expected: number }) => ({
      message: `${d.found} ${d.what}, but ${d.expected} are announced.`,
      where: at(d),
      fix: again,
    }),
    example: { file: 'app.heapsnapshot', offset: 884_211, what: 'nodes', found: 9123, expected: 9124 },
  }),
  PLM_HEAP_INDEX: entry({
    help: 'A row points to a node, a string or a type that does not exist.',
    text: (d: ReadPlace & { what: string; value: number; limit: number }) => ({
      message: `${d.what} is ${d.value}, outside of 0 to ${d.limit - 1}.`,
      where: at(d),
      fix: again,
    }),
    example: {
      file: 'app.heapsnapshot',
      offset: 51_201,
      what: 'to_node of edge 17',
      value: 99_999,
      limit: 600,
    },
  }),
  PLM_HEAP_RANGE: entry({
    help: 'A number is larger than the format can mean.',
    text: (d: ReadPlace & { what: string; limit: number }) => ({
      message: `${d.what} is larger than ${d.limit}.`,
      where: at(d),
      fix: again,
    }),
    example: { file: 'app.heapsnapshot', offset: 3120, what: 'the id of node 12', limit: 4_294_967_295 },
  }),
  PLM_HEAP_SECTION: entry({
    help: 'A section is missing, appears twice, or stands before the section that it needs. V8 writes snapshot, nodes, edges, others, strings in this order.',
    text: (d: ReadPlace & { section: string; problem: string }) => ({
      message: `section "${d.section}" ${d.problem}.`,
      where: at(d),
      fix: again,
    }),
    example: { file: 'app.heapsnapshot', offset: 9_120_111, section: 'strings', problem: 'is missing' },
  }),
  PLM_HEAP_COMPRESSED: entry({
    help: 'The input begins like a gzip or zstd stream and cannot be decompressed.',
    text: (d: ReadPlace & { reason: string }) => ({
      message: `the compressed input cannot be read: ${d.reason}.`,
      where: at(d),
      fix: 'copy the file again, or decompress it first with gunzip or zstd -d.',
    }),
    example: { file: 'app.heapsnapshot.gz', offset: 65_536, reason: 'unexpected end of file' },
  }),
  PLM_HEAP_READ: entry({
    help: 'The operating system or the stream failed while the snapshot was read, or the file changed meanwhile.',
    text: (d: ReadPlace & { reason: string }) => ({
      message: `reading failed: ${d.reason}.`,
      where: at(d),
      fix: 'check the disk or the stream, and read again when nothing writes to the file.',
    }),
    example: { file: 'app.heapsnapshot', offset: 8_388_608, reason: 'EIO: i/o error, read' },
  }),
  PLM_HEAP_TOO_LARGE: entry({
    help: 'The snapshot has more nodes or edges than one analysis can index.',
    text: (d: ReadPlace & { what: string; count: number; limit: number }) => ({
      message: `the snapshot has ${d.count} ${d.what}; at most ${d.limit} can be analysed.`,
      where: at(d),
      fix: 'take a snapshot of one worker or of an earlier moment, when the heap is smaller.',
    }),
    example: {
      file: 'app.heapsnapshot',
      offset: 1400,
      what: 'nodes',
      count: 3_000_000_000,
      limit: 2_147_483_647,
    },
  }),
  PLM_HEAP_MEMORY: entry({
    help: 'The process may not have the memory that the analysis of this snapshot needs: about as much as the file is large.',
    text: (d: ReadPlace & { bytes: number }) => ({
      message: `the analysis needs up to ${Math.ceil(d.bytes / 2 ** 20)} MiB, and the system does not give them.`,
      where: at(d),
      fix: 'analyse the file on a machine, or in a container, with more memory.',
    }),
    example: { file: 'app.heapsnapshot', offset: 1400, bytes: 12_884_901_888 },
  }),
  PLM_HEAP_ABORTED: entry({
    help: 'The AbortSignal given to openSnapshot fired before the snapshot was read.',
    text: (d: ReadPlace) => ({
      message: 'reading the snapshot was aborted.',
      where: at(d),
      fix: 'open it again with a longer deadline; a pipe needs a writer that finishes.',
    }),
    example: { file: 'stream', offset: 4096 },
  }),
  PLM_HEAP_CLOSED: entry({
    help: 'A graph was asked something after close(); its columns are gone and its file is closed.',
    text: (d: { file: string }) => ({
      message: 'the snapshot has been closed.',
      where: d.file,
      fix: 'call close() after the last question, or open the snapshot again.',
    }),
    example: { file: 'app.heapsnapshot' },
  }),
};
