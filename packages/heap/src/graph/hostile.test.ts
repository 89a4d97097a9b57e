import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isHeapError, type HeapError } from '../errors.ts';
import { buildSnapshot, chunksOf, ScratchFiles, type BuiltNode } from '../snapshot-builder.fixture.ts';
import { openSnapshot, type SnapshotReadOptions } from '../snapshot.ts';

const nodes: readonly BuiltNode[] = [
  { type: 'synthetic', name: '', size: 0, edges: [{ type: 'shortcut', name: 'global', to: 1 }] },
  {
    name: 'global',
    edges: [
      { name: 'a', to: 2 },
      { type: 'element', name: 7, to: 3 },
    ],
  },
  {
    name: 'Object',
    edges: [
      { name: 'role', to: 3 },
      { name: 'text', to: 3 },
    ],
  },
  { type: 'string', name: 'some \\ "text" é' },
];
const text = buildSnapshot(nodes, { locations: [[1, 2, 3, 4]] });

async function failureOf(
  source: Parameters<typeof openSnapshot>[0],
  options?: SnapshotReadOptions,
): Promise<HeapError> {
  try {
    const graph = await openSnapshot(source, options);
    graph.constructors();
    graph.close();
  } catch (error) {
    if (isHeapError(error)) return error;
    throw error;
  }
  throw new Error('no error');
}

/** The error for a file with this content, without the name of the file. */
async function said(content: string | Uint8Array): Promise<string> {
  using files = new ScratchFiles();
  const path = files.write(content, 'x.heapsnapshot');
  return String(await failureOf(path)).replaceAll(path, 'x.heapsnapshot');
}

describe('truncated input', () => {
  it.each(['file', 'stream'] as const)(
    'is told at every length, from a %s',
    { timeout: 300_000 },
    async (kind) => {
      using files = new ScratchFiles();
      const bytes = Buffer.from(text);
      for (let length = 0; length < bytes.length; length++) {
        const part = bytes.subarray(0, length);
        const error = await failureOf(
          kind === 'file' ? files.write(part, 'cut.heapsnapshot') : chunksOf(part, 64),
        );
        expect(['PLM_HEAP_TRUNCATED', 'PLM_HEAP_EMPTY', 'PLM_HEAP_HEADER']).toContain(error.code);
        expect(error.offset).toBeLessThanOrEqual(length);
      }
    },
  );

  it('says where and after what', async () => {
    expect(await said(text.slice(0, text.indexOf('"edges"') + 20))).toMatchInlineSnapshot(`
      "PLM_HEAP_TRUNCATED: the input ends inside section "edges", after 1 of 5 edges.
        at:  x.heapsnapshot, byte 695
        fix: take the snapshot again and copy the whole file; a snapshot is written in one go and cannot be repaired."
    `);
    expect(await said(text.slice(0, -20))).toMatchInlineSnapshot(`
      "PLM_HEAP_TRUNCATED: the input ends inside section "strings", after 6 strings.
        at:  x.heapsnapshot, byte 871
        fix: take the snapshot again and copy the whole file; a snapshot is written in one go and cannot be repaired."
    `);
    expect(await said('{"snap')).toMatchInlineSnapshot(`
      "PLM_HEAP_TRUNCATED: the input ends inside the header.
        at:  x.heapsnapshot, byte 6
        fix: take the snapshot again and copy the whole file; a snapshot is written in one go and cannot be repaired."
    `);
  });
});

describe('wrong input', () => {
  it.each([
    ['empty', ''],
    ['other JSON', '{"nodes":[1,2]}'],
    ['not JSON', '\u0000\u0001binary'],
    ['a header that is no object', '{"snapshot":[]}'],
    ['a header without meta', '{"snapshot":{"node_count":1}}'],
    ['a header that is broken', '{"snapshot":{"a":tru}}'],
    ['no node types', text.replace('"node_types":[[', '"node_typed":[[')],
    ['no edge_count field', text.replace('"edge_count",', '"edge_counter",')],
    ['fields that are no list', text.replace('"edge_fields":[', '"edge_fields":1,"x":[')],
    ['a count that cannot be', text.replace('"node_count":4', '"node_count":40000')],
    ['a negative count', text.replace('"node_count":4', '"node_count":-4')],
    ['no node', text.replace('"node_count":4', '"node_count":0')],
    ['too many nodes', text.replace('"node_count":4', '"node_count":5000000000')],
    ['too many edges', text.replace('"edge_count":5', '"edge_count":5000000000')],
    ['a root outside', text.replace('"extra_native_bytes"', '"root_index":600,"extra_native_bytes"')],
    ['fewer nodes', text.replace('"node_count":4', '"node_count":5')],
    ['more nodes', text.replace('"node_count":4', '"node_count":3')],
    ['fewer edges', text.replace('"edge_count":5', '"edge_count":6')],
    ['more edges', text.replace('"edge_count":5', '"edge_count":4')],
    [
      'an edge_count that is too small',
      text.replace(',1,16,2,0', ',1,16,1,0').replace('3,16,2,0', '3,16,1,0'),
    ],
    ['a node type outside', text.replace('"nodes":[9,', '"nodes":[99,')],
    ['a detachedness outside', text.replace(/("nodes":\[9,\d+,1,0,1),0/u, '$1,9')],
    ['a node name outside', text.replace(/"nodes":\[9,\d+/u, '"nodes":[9,5000')],
    ['an id outside', text.replace(/"nodes":\[9,(\d+),1,/u, '"nodes":[9,$1,4294967296,')],
    ['an edge type outside', text.replace('"edges":[5,', '"edges":[7,')],
    ['an edge name outside', text.replace(/"edges":\[5,\d+/u, '"edges":[5,5000')],
    ['an edge name beyond 32 bits', text.replace(/"edges":\[5,\d+/u, '"edges":[5,4294967296')],
    ['a target outside', text.replace(/"edges":\[5,(\d+),6/u, '"edges":[5,$1,24')],
    ['a target between nodes', text.replace(/"edges":\[5,(\d+),6/u, '"edges":[5,$1,7')],
    ['a location outside', text.replace('"locations":[6', '"locations":[24')],
    ['a letter among numbers', text.replace('"edges":[5,', '"edges":[x5,')],
    ['a negative number', text.replace('"edges":[5,', '"edges":[-5,')],
    ['a number beyond 53 bits', text.replace('"edges":[5,', `"edges":[${'9'.repeat(20)},`)],
    ['a trailing comma', text.replace('],\n"edges"', ',],\n"edges"')],
    ['a missing comma', text.replace('],\n"edges"', ']\n"edges"')],
    [
      'a section that is no list',
      text.replace('"nodes":[', '"nodes":{"a":[').replace('],\n"edges"', ']},\n"edges"'),
    ],
    ['a section twice', text.replace('"trace_tree":[]', '"nodes":[]')],
    ['edges before nodes', text.replace('"nodes":', '"nodez":')],
    ['no strings', `${text.slice(0, text.indexOf(',\n"strings"'))}}`],
    ['no edges', text.replace('"edges":', '"edgez":')],
    ['strings that are numbers', text.replace('"strings":["<dummy>"', '"strings":[12')],
    ['a line feed inside a string', text.replace('"<dummy>"', '"<dum\nmy>"')],
    ['something after the end', `${text} x`],
    ['a header twice', text.replace('"trace_tree":[]', '"snapshot":{}')],
    ['a section name without colon', text.replace('"trace_tree":', '"trace_tree"')],
    ['a section name that never ends', text.replace('"trace_tree":', `"${'x'.repeat(3000)}`)],
  ])('%s', async (_name, content) => {
    expect(content).not.toBe(text);
    expect(await said(content)).toMatchSnapshot();
    // A stream is read in another order, and must not be content where a file is not.
    expect((await failureOf(chunksOf(content, 100))).code).toMatch(/^PLM_HEAP_/u);
  });

  it('a stream that announces more than it can have', async () => {
    const announced = (nodes: number): string =>
      text
        .replace('"node_count":4', `"node_count":${nodes}`)
        .replace('"edge_count":5', '"edge_count":50000000');
    const before = process.memoryUsage.rss();
    expect((await failureOf(chunksOf(announced(2e9)))).code).toBe('PLM_HEAP_TOO_LARGE');
    expect((await failureOf(chunksOf(announced(2e7)))).code).toBe('PLM_HEAP_COUNT');
    expect(process.memoryUsage.rss() - before).toBeLessThan(128 * 1024 * 1024);
  });

  it('a broken gzip file', async () => {
    expect(await said(Uint8Array.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))).toMatchInlineSnapshot(`
      "PLM_HEAP_COMPRESSED: the compressed input cannot be read: invalid block type.
        at:  x.heapsnapshot, byte 0
        fix: copy the file again, or decompress it first with gunzip or zstd -d."
    `);
  });

  it('a directory, and nothing at all', async () => {
    using files = new ScratchFiles();
    const hide = (error: HeapError): string => String(error).replaceAll(files.dir, 'DIR');
    expect(hide(await failureOf(files.dir))).toMatchInlineSnapshot(`
      "PLM_HEAP_NOT_A_FILE: "DIR" is a directory, not a regular file.
        at:  DIR
        fix: pass the .heapsnapshot file itself, such as "snapshots/app.heapsnapshot", or pipe it into "plimsoll analyze -"."
    `);
    expect(hide(await failureOf(join(files.dir, 'absent')))).toMatchInlineSnapshot(`
      "PLM_HEAP_NOT_FOUND: "DIR/absent" cannot be opened: no such file.
        at:  DIR/absent
        fix: check the path and the permissions of the file."
    `);
  });
});

describe('a stream', () => {
  it('that fails is told with the offset', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(text.slice(0, 100));
      throw new Error('the pipe broke');
    }
    expect(String(await failureOf(failing()))).toMatchInlineSnapshot(`
      "PLM_HEAP_READ: reading failed: the pipe broke.
        at:  stream, byte 100
        fix: check the disk or the stream, and read again when nothing writes to the file."
    `);
  });

  it('that stops can be aborted', async () => {
    async function* stuck(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(text.slice(0, 100));
      await new Promise(() => {});
    }
    const signal = AbortSignal.timeout(20);
    expect(String(await failureOf(stuck(), { signal }))).toMatchInlineSnapshot(`
      "PLM_HEAP_ABORTED: reading the snapshot was aborted.
        at:  stream, byte 100
        fix: open it again with a longer deadline; a pipe needs a writer that finishes."
    `);
    expect((await failureOf(stuck(), { signal })).code).toBe('PLM_HEAP_ABORTED');
  });

  it('is no FIFO and no device, which are refused at once', async () => {
    using files = new ScratchFiles();
    const fifo = join(files.dir, 'pipe');
    execFileSync('mkfifo', [fifo]);
    const socket = join(files.dir, 'socket');
    const server = createServer().listen(socket);
    await once(server, 'listening');
    for (const [path, kind] of [
      [fifo, 'FIFO'],
      ['/dev/zero', 'character device'],
      [files.dir, 'directory'],
      [socket, 'socket'],
    ] as const) {
      const error = await failureOf(path);
      expect(error.code).toBe('PLM_HEAP_NOT_A_FILE');
      expect(error.message).toContain(`is a ${kind}, not a regular file`);
    }
    server.close();
  });

  it('that was aborted before is not read', async () => {
    using files = new ScratchFiles();
    const signal = AbortSignal.abort(new Error('too late'));
    expect((await failureOf(files.write(text), { signal })).code).toBe('PLM_HEAP_ABORTED');
  });
});
