/** A holder of a person's data. */
export interface SubjectHolder {
  /** Its name in a report, such as "conversation". It must not name the person. */
  readonly label: string;
  /** Clears the person's data and returns the number of cleared entries. */
  forget(): number | Promise<number>;
  /** Some texts of the person that must not be found afterwards. */
  samples?(): Iterable<string>;
}

/** Most holders of one person and most persons. Above it the oldest person is dropped. The holders have bounds of their own. */
const mostPerSubject = 1000;
const mostSubjects = 100_000;

const bySubject = new Map<string, Set<SubjectHolder>>();

/** Registers a holder of a person's data for `forget`; returns the removal, to be called when the holder is gone. */
export function holdFor(subject: string, holder: SubjectHolder): () => void {
  let holders = bySubject.get(subject);
  if (holders === undefined) {
    if (bySubject.size >= mostSubjects) bySubject.delete(bySubject.keys().next().value as string);
    bySubject.set(subject, (holders = new Set()));
  }
  if (holders.size < mostPerSubject) holders.add(holder);
  return () => {
    holders.delete(holder);
    if (holders.size === 0 && bySubject.get(subject) === holders) bySubject.delete(subject);
  };
}

/** The holders of a person. It also removes them from the list. */
export function takeHolders(subject: string): readonly SubjectHolder[] {
  const holders = [...(bySubject.get(subject) ?? [])];
  bySubject.delete(subject);
  return holders;
}
