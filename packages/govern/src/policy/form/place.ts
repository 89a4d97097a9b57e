/** A position in a policy file, both counted from 1 as editors do. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** "plimsoll.yaml:7:5". */
export function formatPlace(place: Place): string {
  return place.line === 0 ? place.file : `${place.file}:${place.line}:${place.column}`;
}

/** "plimsoll.yaml:7": enough to find a rule, short enough for a ledger row. */
export function formatLine(place: Place): string {
  return place.line === 0 ? place.file : `${place.file}:${place.line}`;
}

/** A path of keys as people write it: `budgets.agents."research-*".max`, `ladder.warning[0]`. */
export function formatKeyPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else {
      const word = /^[\w-]+$/.test(step) ? step : JSON.stringify(step);
      text += text === '' ? word : `.${word}`;
    }
  }
  return text;
}
