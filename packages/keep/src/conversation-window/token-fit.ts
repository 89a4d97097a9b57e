/**
 * Tokens of a text by a linear fit over eight features, in one pass and without a vocabulary.
 *
 * The weights were fitted by non-negative least squares on relative error against the o200k encoding of 5,700 pieces of 60 to 960 characters:
 * documentation, TypeScript, package files, generated tool results, and prose in English, German, French, Russian, Chinese and Japanese.
 * Mean absolute error there: 1 to 3 % for English prose, tool JSON, Chinese, Japanese and Russian, 5 to 8 % for the rest. A real
 * byte-pair encoder is exact and can be made to take seconds by one hostile message, which a server cannot afford.
 */
const weights = {
  words: 0.962,
  tail: 0.196,
  capitals: 0.128,
  numbers: 0.907,
  punctuation: 0.866,
  breaks: 0.542,
  wide: 0.665,
  other: 0.287,
};

const none = 0;
const lower = 1;
const upper = 2;
const digit = 3;
const mark = 4;
const lineBreak = 5;
const wide = 6;

/** What the character before was, by code; characters from 128 on are told apart in the loop. */
const kinds = new Uint8Array(128).fill(mark);
kinds[32] = none;
for (const code of [9, 10, 13]) kinds[code] = lineBreak;
for (let code = 48; code <= 57; code++) kinds[code] = digit;
for (let code = 65; code <= 90; code++) kinds[code] = upper;
for (let code = 97; code <= 122; code++) kinds[code] = lower;

/** Estimated tokens of a text, not rounded. */
export function fitTokens(text: string): number {
  let tokens = 0;
  let run = 0;
  let before = none;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const kind = code < 128 ? (kinds[code] as number) : code < 0x2e80 ? lower : wide;
    if (code >= 128) {
      tokens += kind === wide ? weights.wide : weights.other;
      if (before !== lower) run = 1;
    } else if (kind === lower) {
      if (before !== lower && before !== upper) {
        tokens += weights.words;
        run = 1;
      } else if (++run > 6) tokens += weights.tail;
    } else if (kind === mark) tokens += before === mark ? 0.35 * weights.punctuation : weights.punctuation;
    else if (kind === none) {
      if (before === none) tokens += 0.25 * weights.breaks;
    } else if (kind === digit) {
      if (before !== digit || ++run > 3) {
        tokens += weights.numbers;
        run = 1;
      }
    } else if (kind === upper) {
      if (before === lower) {
        tokens += weights.capitals;
        run = 1;
      } else if (before === upper) {
        tokens += 0.5 * weights.capitals;
        run++;
      } else {
        tokens += weights.words;
        run = 1;
      }
    } else if (before !== lineBreak) tokens += weights.breaks;
    before = kind;
  }
  return tokens;
}
