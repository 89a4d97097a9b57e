import type { StringRows } from '../jobs.ts';

/** Bytes that have to follow a quote, so that the beginning of a string can be looked at. */
const ahead = 32;
const prefixes = ['system /', '(Documen', 'Object"'].map((text) => Buffer.from(text, 'latin1'));

/** Walks over strings without decoding them. */
export function strings(job: StringRows): void {
  const { bytes, end } = job;
  let p = job.start;
  let { state, count } = job;
  job.offsetCount = 0;
  job.noteWords = 0;
  while (p < end) {
    if (state === 1) {
      let c = 0;
      while (p < end) {
        c = bytes[p] as number;
        if (c === 34 || c === 92 || c < 32) break;
        p++;
      }
      if (p >= end) break;
      if (c < 32) {
        state = 5;
        break;
      }
      state = c === 34 ? 0 : 2;
      p++;
      continue;
    }
    if (state === 2) {
      p++;
      state = 1;
      continue;
    }
    const c = bytes[p] as number;
    if (c === 34 && (state === 3 || count === 0)) {
      if (!job.last && p + ahead > end) break;
      if (count % 16 === 0) job.offsets[job.offsetCount++] = p;
      if (isNoteworthy(bytes, p + 1)) {
        job.notes[job.noteWords++] = count;
        job.notes[job.noteWords++] = p;
      }
      count++;
      state = 1;
    } else if (c === 44 && state === 0 && count > 0) {
      state = 3;
    } else if (c === 93 && state === 0) {
      state = 4;
      p++;
      break;
    } else if (c !== 32 && c !== 10 && c !== 13 && c !== 9) {
      state = 5;
      break;
    }
    p++;
  }
  job.start = p;
  job.state = state;
  job.count = count;
}

function isNoteworthy(bytes: Uint8Array, p: number): boolean {
  const c = bytes[p] as number;
  if (c >= 48 && c <= 57) return isPairName(bytes, p);
  if (c === 34) return true;
  if (c !== 115 && c !== 40 && c !== 79) return false;
  return prefixes.some((prefix) => prefix.every((byte, k) => bytes[p + k] === byte));
}

/** Digits and a space, as in "17 / part of key (...". */
function isPairName(bytes: Uint8Array, p: number): boolean {
  for (let k = p + 1; k < p + 16; k++) {
    const c = bytes[k] as number;
    if (c < 48 || c > 57) return c === 32 && bytes[k + 1] === 47;
  }
  return true;
}
