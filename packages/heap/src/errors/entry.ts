/** The three lines a user reads: what happened, where, and what to do. */
export interface HeapErrorText {
  readonly message: string;
  readonly where: string;
  readonly fix: string;
}

/** One code of the catalogue: its text as a function of the details, its page section and the example that documents it. */
export interface HeapErrorEntry<Details> {
  /** One paragraph for docs/reference/errors.md: when this happens and what it means. */
  readonly help: string;
  readonly text: (details: Details) => HeapErrorText;
  /** Details of a typical case; rendered into docs/reference/errors.md and frozen by a test. */
  readonly example: Details;
}

/** Infers `Details` from `text` so that a catalogue can be written as one literal. */
export function entry<Details>(definition: HeapErrorEntry<Details>): HeapErrorEntry<Details> {
  return definition;
}
