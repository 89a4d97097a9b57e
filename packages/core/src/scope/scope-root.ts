/**
 * Marks in a heap snapshot what a scope holds: the analysis finds it by the name of this class.
 * The marker outlives its scope only while someone keeps it; its roots are emptied when the scope closes.
 */
export class PlimsollScopeRoot {
  readonly path: string;
  state: 'open' | 'closed' = 'open';
  readonly roots: object[] = [];

  constructor(path: string) {
    // A template makes a rope, whose text a snapshot holds in pieces. Joining two pieces copies the text into one plain string.
    this.path = [path.slice(0, 1), path.slice(1)].join('');
  }
}
