/** A value of a tool's arguments, as JSON Schema. */
interface ArgumentSchema {
  readonly type: 'string' | 'number' | 'array';
  readonly description: string;
  readonly items?: { readonly type: 'string' };
  readonly enum?: readonly string[];
}

/** A tool for coding agents. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly args: Readonly<Record<string, ArgumentSchema>>;
  readonly required?: readonly string[];
  /** False for tools that start a program. They are offered only with --allow-run. */
  readonly isReadOnly: boolean;
  readonly run: (args: Arguments) => Promise<string>;
}

/** The arguments of a call, read with type checks. */
export class Arguments {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: unknown) {
    this.#values = typeof values === 'object' && values !== null ? (values as Record<string, unknown>) : {};
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    throw new Error(`"${name}" has to be a text`);
  }

  needed(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') throw new Error(`"${name}" is missing`);
    return value;
  }

  number(name: string): number | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw new Error(`"${name}" has to be a number`);
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))
      return value;
    throw new Error(`"${name}" has to be a list of texts`);
  }
}

/** An answer cut to fit a context window, with the size of the part left out. */
export function shortened(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text;
  const cut = text.lastIndexOf('\n', mostChars);
  const shown = text.slice(0, cut > mostChars / 2 ? cut : mostChars);
  return `${shown}\n… ${(text.length - shown.length).toLocaleString('en-US')} of ${text.length.toLocaleString('en-US')} characters left out. Ask for less: one scope, one finding, fewer rows.`;
}
