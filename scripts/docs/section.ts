/** A generated part of a page. It is between two comments, and the text around it is kept. */
export interface Section {
  /** Path of the page below `docs/`. */
  readonly page: string;
  /** Name of the part in its opening comment. */
  readonly name: string;
  readonly text: string;
}

const opening = (name: string): string => `<!-- made by npm run docs: ${name} -->`;
const closing = '<!-- end -->';

/** The page with the text of a section between its comments; undefined when the page has no such comments. */
export function withSection(page: string, { name, text }: Section): string | undefined {
  const from = page.indexOf(opening(name));
  const start = from + opening(name).length;
  const end = page.indexOf(closing, start);
  if (from < 0 || end < 0) return undefined;
  return `${page.slice(0, start)}\n${text}\n${page.slice(end)}`;
}
