/** Text up to this length stands for itself; longer text is hashed, so that a path does not keep large tasks alive. */
const shortText = 128;

/** What makes two tasks the same: the text of a string, the JSON of anything else with its keys sorted; "" when there is none. */
export function taskFingerprint(task: unknown): string {
  if (task === undefined) return '';
  if (typeof task === 'string') return task.length <= shortText ? task : digest(task);
  return digest(JSON.stringify(task, sorted) ?? typeof task);
}

function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Two rounds of FNV-1a with different starts and the length: short, quick, and good enough to tell the tasks of one path apart. */
function digest(text: string): string {
  let first = 0x811c9dc5;
  let second = 0x01000193;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
  }
  return `#${text.length}:${(first >>> 0).toString(36)}:${(second >>> 0).toString(36)}`;
}
