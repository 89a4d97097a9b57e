import { expect, test } from 'vitest';
import { formatByteSize, formatUsedOfLimit, parseByteSize } from './byte-size.ts';
import { formatDuration, parseDuration } from './duration.ts';

test.each([
  ['64MiB', 67_108_864],
  ['1.5 GiB', 1_610_612_736],
  ['200MB', 200_000_000],
  ['512B', 512],
  ['64', undefined],
  ['64mb', undefined],
  ['-1MiB', undefined],
  ['99999999999TiB', undefined],
])('%s is %s bytes', (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1_048_575, '1.0 MiB'],
  [74_868_326, '71.4 MiB'],
  [-2048, '-2.0 KiB'],
  [3 * 1024 ** 4, '3.0 TiB'],
])('%s bytes read %s', (bytes, text) => {
  expect(formatByteSize(bytes)).toBe(text);
});

test('used of limit carries the percentage', () => {
  expect(formatUsedOfLimit(74_868_326, 67_108_864)).toBe('71.4 MiB of 64.0 MiB (112 %)');
});

test.each([
  ['250ms', 250],
  ['30s', 30_000],
  ['15 m', 900_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
  ['2y', 63_072_000_000],
  ['30', undefined],
  ['soon', undefined],
])('%s is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  [240, '240 ms'],
  [14_000, '14 s'],
  [125_000, '2 m 5 s'],
  [120_000, '2 m'],
  [11_400_000, '3 h 10 m'],
  [187_200_000, '2 d 4 h'],
  [-5000, '-5 s'],
])('%s ms reads %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
