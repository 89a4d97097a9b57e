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
const other = 7;

/** Kinds of the first 128 characters; the others are told apart by their range. */
const kinds = new Uint8Array(128).fill(mark);
kinds[32] = none;
for (const code of [9, 10, 13]) kinds[code] = lineBreak;
for (let code = 48; code <= 57; code++) kinds[code] = digit;
for (let code = 65; code <= 90; code++) kinds[code] = upper;
for (let code = 97; code <= 122; code++) kinds[code] = lower;

/** What a character adds, by its kind and the kind before it. */
const costs = new Float64Array(64);
for (let before = none; before <= other; before++) {
  const isInWord = before === lower || before === upper || before === other;
  costs[8 * before + lower] = isInWord ? 0 : weights.words;
  costs[8 * before + upper] =
    before === upper ? 0.5 * weights.capitals : isInWord ? weights.capitals : weights.words;
  costs[8 * before + digit] = before === digit ? 0 : weights.numbers;
  costs[8 * before + mark] = before === mark ? 0.35 * weights.punctuation : weights.punctuation;
  costs[8 * before + none] = before === none ? 0.25 * weights.breaks : 0;
  costs[8 * before + lineBreak] = before === lineBreak ? 0 : weights.breaks;
  costs[8 * before + wide] = weights.wide;
  costs[8 * before + other] = weights.other;
}

/** Letters of a word, and digits of a number, that one token takes. */
const wordLength = 6;
const numberLength = 3;

/** Estimated tokens of a text, not rounded. */
export function fitTokens(text: string): number {
  const { length } = text;
  let tokens = 0;
  let run = 0;
  let before = none;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    const kind = code < 128 ? (kinds[code] as number) : code < 0x2e80 ? other : wide;
    tokens += costs[8 * before + kind] as number;
    if (kind === lower) {
      run = before === lower || before === upper || before === other ? run + 1 : 1;
      if (run > wordLength) tokens += weights.tail;
    } else if (kind === digit && before === digit) {
      if (++run > numberLength) {
        tokens += weights.numbers;
        run = 1;
      }
    } else run = 1;
    before = kind;
  }
  return tokens;
}
