/** A program whose containers nothing leads to but the functions that add to them. */
class MemoryOfProgram {
  readonly #notes: object[] = [];
  note = (text: string): void => {
    this.#notes.push({ text, more: [text] });
  };
}

/** Adds to a variable, and by a function that only its `this` leads on from. */
export function rememberer(): (n: number) => void {
  const answers = new Map<number, object>();
  const { note } = new MemoryOfProgram();
  return (n) => {
    answers.set(answers.size, { n, text: `answer ${n}` });
    note(`note ${n}`);
  };
}

/** A loop that was entered before anybody looked, and that no inner function shares its list with. */
export async function endlessLoop(hasEnded: () => boolean): Promise<number> {
  const outputs: object[] = [];
  while (!hasEnded()) {
    for (let i = 0; i < 20; i++) outputs.push({ text: `turn ${outputs.length}`, more: [i] });
    await new Promise((done) => setTimeout(done, 2));
  }
  return outputs.length;
}
