import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { HeapFixture } from '../../../heap/src/trace/heap.fixture.ts';
import { TestIo } from '../io.fixture.ts';
import { ProgressLine } from './progress-line.ts';

let dir: string;

/** Writes a heap whose registry holds that many sessions; the first is a root of a closed scope. */
function snapshot(name: string, sessions: number): string {
  const heap = new HeapFixture().mention('registry', 'sessions');
  const registry = heap.property(heap.global, 'registry', 'object', 'Registry');
  const entries = Array.from(
    { length: sessions },
    (_, i) => [heap.string(`sess-${i}`), heap.node('object', 'Session', 3000)] as const,
  );
  heap.map(registry, 'sessions', entries);
  const mark = heap.property(heap.global, 'mark', 'object', 'PlimsollScopeRoot');
  heap
    .edge(mark, 'property', 'path', heap.string('process/session:0'))
    .edge(mark, 'property', 'state', heap.string('closed'));
  heap.array(
    mark,
    'roots',
    entries.slice(0, 1).map(([, session]) => session),
  );
  writeFileSync(join(dir, name), heap.text());
  return name;
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-heap-'));
});

test('analyze prints suspects, scopes and constructors', async () => {
  const io = new TestIo(dir);
  expect(await io.plimsoll('analyze', snapshot('a.heapsnapshot', 100), '--top', '3')).toBe(0);
  expect(io.out).toMatch(/^a\.heapsnapshot {2}/);
  expect(io.out).toContain('code: registry.sessions.get(<serial:6>)');
  expect(io.out).toContain('process/session:0  closed');
  expect(io.err).toBe('');
});

test('analyze --json is the contract, --fail-on sets the exit code', async () => {
  const io = new TestIo(dir);
  const file = snapshot('a.heapsnapshot', 100);
  expect(await io.plimsoll('analyze', file, '--json', '--fail-on', 'high')).toBe(2);
  const analysis = JSON.parse(io.out) as Record<string, unknown>;
  expect(analysis).toMatchObject({
    file: 'a.heapsnapshot',
    nodes: expect.any(Number),
    edges: expect.any(Number),
    heapBytes: expect.any(Number),
    ms: {
      read: expect.any(Number),
      graph: expect.any(Number),
      dominators: expect.any(Number),
      total: expect.any(Number),
    },
    peakRssBytes: expect.any(Number),
    suspects: [
      {
        fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
        name: 'Session',
        count: 100,
        retainedBytes: 300_000,
        trace: expect.arrayContaining([expect.objectContaining({ type: 'root', leaking: 'no', via: '' })]),
      },
    ],
    scopes: [{ path: 'process/session:0', state: 'closed', retainedBytes: 3000 }],
  });
  expect(await new TestIo(dir).plimsoll('analyze', file, '--json', '--fail-on', 'critical')).toBe(0);
});

test('analyze --html writes one private file and nothing to the terminal', async () => {
  const io = new TestIo(dir);
  expect(await io.plimsoll('analyze', snapshot('a.heapsnapshot', 100), '--html', 'r.html')).toBe(0);
  expect(io.out).toBe('');
  expect(io.err).toBe('plimsoll: report written to r.html\n');
  expect(readFileSync(join(dir, 'r.html'), 'utf8')).toMatch(/^<!doctype html>/);
  expect(statSync(join(dir, 'r.html')).mode & 0o777).toBe(0o600);
  expect(await io.plimsoll('analyze', 'a.heapsnapshot', '--html', 'no/where.html')).toBe(1);
  expect(io.err).toContain('PLM_CLI_CANNOT_WRITE');
});

test('analyze answers questions about one object, one class and one scope', async () => {
  const file = snapshot('a.heapsnapshot', 30);
  const ask = async (...question: string[]): Promise<string> => {
    const io = new TestIo(dir, question.includes('terminal'));
    expect(await io.plimsoll('analyze', file, ...question.filter((word) => word !== 'terminal'))).toBe(0);
    return io.out;
  };
  const { paths } = JSON.parse(await ask('--retainers', 'Session', '--json')) as {
    paths: { trace: { steps: { id: number }[] } }[];
  };
  const id = paths[0]?.trace.steps.at(-1)?.id ?? 0;
  expect(await ask('--node', `@${id}`)).toContain(`@${id} Session  own 2.9 KiB`);
  expect(await ask('--node', String(id), 'terminal')).toContain('\u001B[');
  expect(await ask('--retainers', 'Session')).toMatch(/^30 × Session, held in/);
  expect(await ask('--focus', 'session:0')).toMatch(/process\/session:0 {2}closed/);
});

test('analyze --show-strings says that it does', async () => {
  const io = new TestIo(dir);
  expect(await io.plimsoll('analyze', snapshot('a.heapsnapshot', 100), '--show-strings')).toBe(0);
  expect(io.err).toBe(
    'plimsoll: --show-strings shows string values and keys of the process; they may be secrets.\n',
  );
  expect(io.out).toMatch(/get\("sess-\d+"\)/);
});

test('analyze --open-with tells how DevTools opens the file', async () => {
  const io = new TestIo(dir);
  expect(await io.plimsoll('analyze', 'a.heapsnapshot', '--open-with', 'devtools')).toBe(0);
  expect(io.out).toContain('Load profile');
  expect(await io.plimsoll('analyze', 'a.heapsnapshot', '--open-with', 'notepad')).toBe(1);
});

test('bad input is explained in three lines', async () => {
  const explained = async (...args: string[]): Promise<string> => {
    const io = new TestIo(dir);
    expect(await io.plimsoll(...args)).toBe(1);
    return io.err.split(':')[0] ?? '';
  };
  const file = snapshot('a.heapsnapshot', 30);
  expect(await explained('analyze', 'none.heapsnapshot')).toBe('PLM_HEAP_NOT_FOUND');
  expect(await explained('analyze', file, '--node', '4711')).toBe('PLM_HEAP_NO_NODE');
  expect(await explained('analyze', file, '--node', 'x')).toBe('PLM_CLI_BAD_OPTION');
  expect(await explained('analyze', file, '--top', '0')).toBe('PLM_CLI_BAD_OPTION');
  expect(await explained('analyze', file, '--fail-on', 'bad')).toBe('PLM_CLI_BAD_OPTION');
  expect(await explained('analyze', file, '--retainers', 'Nobody')).toBe('PLM_HEAP_NO_CLASS');
  expect(await explained('analyze', file, '--focus', 'nobody')).toBe('PLM_HEAP_NO_SCOPE');
  expect(await explained('diff', file)).toBe('PLM_HEAP_DIFF_COUNT');
  expect(await explained('redact', file, file)).toBe('PLM_HEAP_REDACT_TARGET');
});

test('diff says what grew', async () => {
  const files = [20, 50, 100].map((count) => snapshot(`${count}.heapsnapshot`, count));
  const io = new TestIo(dir);
  expect(await io.plimsoll('diff', ...files)).toBe(0);
  expect(io.out).toContain('Session 20 → 50 → 100');
  const json = new TestIo(dir);
  expect(await json.plimsoll('diff', ...files, '--json', '--fail-on', 'high')).toBe(2);
  expect(JSON.parse(json.out)).toMatchObject({ files, growth: [{ name: 'Session', counts: [20, 50, 100] }] });
});

test('redact writes a snapshot without content', async () => {
  const file = snapshot('a.heapsnapshot', 100);
  const io = new TestIo(dir);
  expect(await io.plimsoll('redact', file, 'b.heapsnapshot')).toBe(0);
  expect(io.out).toMatch(
    /^b\.heapsnapshot: [\d.]+ KiB of [\d.]+ KiB, \d+ strings replaced, \d+ names of code kept\n$/,
  );
  expect(readFileSync(join(dir, 'b.heapsnapshot'), 'utf8')).not.toContain('sess-');
  const json = new TestIo(dir);
  expect(await json.plimsoll('redact', file, 'c.heapsnapshot', '--json', '--keep-name', 'tenant')).toBe(0);
  expect(JSON.parse(json.out)).toMatchObject({ input: file, output: 'c.heapsnapshot' });
});

test('progress appears on a terminal after a second and is wiped', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const io = new TestIo(dir, true);
  const line = new ProgressLine(io);
  line.show('read 1 %');
  now.mockReturnValue(1500);
  line.show('read 50 %');
  line.show('read 50 %');
  line.clear();
  line.clear();
  expect(io.err).toBe('\r\u001B[Kread 50 %\r\u001B[K');
  now.mockRestore();
});

test('analyze - reads standard input; a FIFO is refused at once, by redact with the same words', async () => {
  const io = new TestIo(dir);
  const file = snapshot('a.heapsnapshot', 100);
  const piped = new TestIo(dir);
  piped.stdin.end(readFileSync(join(dir, file)));
  expect(await piped.plimsoll('analyze', '-', '--top', '3')).toBe(0);
  expect(piped.out).toContain('code: registry.sessions.get(<serial:6>)');
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  expect(await io.plimsoll('analyze', 'pipe')).toBe(1);
  const refusal = io.err;
  expect(refusal).toContain('is a FIFO, not a regular file');
  const other = new TestIo(dir);
  expect(await other.plimsoll('redact', 'pipe', 'out')).toBe(1);
  expect(other.err).toBe(refusal);
});
