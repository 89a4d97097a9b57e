/** Something that holds data of a person. */
export interface SubjectHolder {
  /** How a report names it, such as "conversation". It must not name the person. */
  readonly label: string;
  /** Lets go of the person's data; returns how many entries went. */
  forget(): number | Promise<number>;
  /** Some texts of the person that must not be found afterwards. */
  samples?(): Iterable<string>;
}

/** Most holders of one person and most persons. Beyond them the oldest person is dropped; its holders stay bounded by themselves. */
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

/** The holders of a person; they are not listed any more after this. */
export function takeHolders(subject: string): readonly SubjectHolder[] {
  const holders = [...(bySubject.get(subject) ?? [])];
  bySubject.delete(subject);
  return holders;
}
