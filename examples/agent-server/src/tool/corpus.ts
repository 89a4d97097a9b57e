import { seeded, seedOf } from '../random.ts';

const topics = ['tariff', 'tide', 'turbine', 'freight', 'harbour', 'insurance', 'ballast', 'pilot'];
const verbs = ['raises', 'lowers', 'follows', 'limits', 'explains', 'delays', 'covers', 'depends on'];

/** The library for the tools: paragraphs are made once, and documents are combined from them on request. */
export class Corpus {
  readonly #paragraphs: readonly string[];
  readonly #documentBytes: number;

  constructor(seed: number, documentBytes: number) {
    const random = seeded(seed);
    this.#documentBytes = documentBytes;
    this.#paragraphs = Array.from({ length: 256 }, () =>
      Array.from(
        { length: random.int(8, 24) },
        () =>
          `The ${random.pick(topics)} ${random.pick(verbs)} the ${random.pick(topics)} by ${random.int(1, 90)}.`,
      ).join(' '),
    );
  }

  /** Ids and first lines of documents that mention the query. */
  search(query: string, results: number): { id: string; line: string }[] {
    const stem = query.slice(0, 4).toLowerCase();
    const random = seeded(seedOf(query));
    const start = random.int(0, this.#paragraphs.length - 1);
    const found: { id: string; line: string }[] = [];
    for (let i = 0; i < this.#paragraphs.length && found.length < results; i += 1) {
      const paragraph = this.#paragraphs[(start + i) % this.#paragraphs.length] as string;
      if (paragraph.includes(stem)) found.push({ id: `doc-${i + 1}`, line: paragraph.slice(0, 120) });
    }
    return found;
  }

  /** The text of a document, a new string each time, as if read from a socket. Most are small, some eight times the usual size. */
  document(id: string): string {
    const random = seeded(seedOf(id));
    const bytes = this.#documentBytes * (0.25 + 7.75 * random.next() ** 6);
    const parts: string[] = [`# ${id}`];
    let length = 0;
    while (length < bytes) {
      const paragraph = random.pick(this.#paragraphs);
      parts.push(paragraph);
      length += paragraph.length + 1;
    }
    return parts.join('\n');
  }
}
