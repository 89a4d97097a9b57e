import { join } from 'node:path';
import { keepFile } from './kept-file.ts';
import type { KeptFile } from './kept-file.ts';

/** The process's resident set, from /proc/self/statm where there is one. */
export class Resident {
  readonly #file: KeptFile | undefined;
  readonly #pageBytes: number;
  #last = 0;

  constructor(root = '/') {
    this.#file = keepFile(join(root, 'proc/self/statm'));
    this.#pageBytes = pageSize(pages(this.#file), nodeRss());
  }

  get retainedBytes(): number {
    return this.#file?.retainedBytes ?? 0;
  }

  bytes(): number {
    const count = pages(this.#file);
    const bytes = count === undefined ? nodeRss() : count * this.#pageBytes;
    if (bytes !== undefined) this.#last = bytes;
    return this.#last;
  }

  close(): void {
    this.#file?.close();
  }
}

/** The second figure of statm: resident pages. */
function pages(file: KeptFile | undefined): number | undefined {
  const text = file?.read();
  if (text === undefined) return undefined;
  const count = Number(text.split(' ', 2)[1]);
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** Node opens /proc/self/stat for each call, which fails when descriptors have run out. */
function nodeRss(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

/** Page size by comparing pages with bytes: 4 KiB on x64, up to 64 KiB on some arm64 kernels, and no Node API names it. */
export function pageSize(count: number | undefined, bytes: number | undefined): number {
  if (count === undefined || bytes === undefined) return 4096;
  const exact = bytes / count;
  return [4096, 8192, 16_384, 65_536].reduce((best, size) =>
    Math.abs(Math.log(size / exact)) < Math.abs(Math.log(best / exact)) ? size : best,
  );
}
