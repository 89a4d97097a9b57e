import { expect, test } from 'vitest';
import { SectionScanner, type SectionListener } from './section-scanner.ts';

class Recorder implements SectionListener {
  readonly seen: string[] = [];
  header(text: string): void {
    this.seen.push(`header ${text}`);
  }
  numbers(section: string, values: Float64Array, count: number): void {
    this.seen.push(`${section} ${[...values.subarray(0, count)].join()}`);
  }
  nested(section: string, bytes: Uint8Array): void {
    this.seen.push(`${section} ${Buffer.from(bytes).toString()}`);
  }
  string(bytes: Buffer, start: number, end: number): void {
    this.seen.push(`string ${bytes.toString('utf8', start, end)}`);
  }
  end(section: string): void {
    this.seen.push(`end ${section}`);
  }
}

const text = String.raw`{"snapshot":{"meta":{"a":["}"]}},
"nodes":[1,22,
333],"edges":[],"trace_tree":[1,[2,[]]],"scopes":{"x":["]\"",1]},"note":[[1]],"strings":["a","b\"c","",
"d\\"]}`;

const scanned = (...chunks: readonly string[]): string[] => {
  const recorder = new Recorder();
  const scanner = new SectionScanner(recorder, 'test');
  for (const chunk of chunks) scanner.push(Buffer.from(chunk));
  scanner.finish();
  return recorder.seen;
};

test('sections stream by in file order; unknown ones are skipped', () => {
  expect(scanned(text)).toEqual([
    'header {"meta":{"a":["}"]}}',
    'end snapshot',
    'nodes 1,22,333',
    'end nodes',
    'end edges',
    'trace_tree [1,[2,[]]]',
    'end trace_tree',
    'end scopes',
    'end note',
    'string a',
    String.raw`string b\"c`,
    'string ',
    String.raw`string d\\`,
    'end strings',
  ]);
});

test('it makes no difference where the input is cut', () => {
  const whole = scanned(text).filter((line) => !line.startsWith('trace_tree'));
  for (let at = 1; at < text.length; at++) {
    const cut = scanned(text.slice(0, at), text.slice(at)).filter((line) => !line.startsWith('trace_tree'));
    expect(cut).toEqual(whole);
  }
});

test('more numbers than a batch arrive in batches', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => i);
  const recorder = new Recorder();
  const scanner = new SectionScanner(recorder, 'test');
  scanner.push(Buffer.from(`{"nodes":[${many.join()}]}`));
  scanner.finish();
  expect(recorder.seen.slice(0, -1).join().replaceAll('nodes ', '').split(',').map(Number)).toEqual(many);
});

test.each([
  ['', 'PLM_HEAP_EMPTY'],
  ['[1]', 'PLM_HEAP_SYNTAX'],
  ['{"nodes":[1,x]}', 'PLM_HEAP_SYNTAX'],
  ['{"strings":[1]}', 'PLM_HEAP_SYNTAX'],
  ['{"trace_tree":["a"]}', 'PLM_HEAP_SYNTAX'],
  [`{"snapshot":{"a":"${'x'.repeat(1 << 20)}"}}`, 'PLM_HEAP_SYNTAX'],
  ['{"nodes":[1,2', 'PLM_HEAP_TRUNCATED'],
])('%j is refused', (input, code) => {
  expect(() => scanned(input)).toThrow(expect.objectContaining({ code }));
});

test('a listener that wants no strings and no numbers keeps none, however long the section is', () => {
  const ends: string[] = [];
  const scanner = new SectionScanner({ header() {}, end: (section) => ends.push(section) }, 'test');
  const piece = Buffer.alloc(1 << 20, 'x');
  scanner.push(Buffer.from('{"nodes":[1,2,'));
  scanner.push(Buffer.from('3,4],"strings":["'));
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 64; i++) {
    scanner.push(piece);
    if (i % 10 === 9) scanner.push(Buffer.from('","'));
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 << 20);
  scanner.push(Buffer.from('"]}'));
  scanner.finish();
  expect(ends).toEqual(['nodes', 'strings']);
});
