import type { DominatorRow, HeapObject } from '../opened-snapshot.ts';
import type { ClassPath } from '../trace/class-paths.ts';
import type { LeakTrace } from '../trace/leak-trace.ts';
import type { RetainedScope } from '../trace/scope-roots.ts';
import { bytesText, countText } from '../byte-text.ts';
import { plain, type Paint } from './paint.ts';
import { textTable } from './table.ts';
import { traceText } from './trace-text.ts';

const indented = (text: string): string => text.replaceAll(/^/gm, '  ');

/** The answer to `--node ID`. */
export function nodeText(object: HeapObject, paths: readonly LeakTrace[], paint: Paint = plain): string {
  const head = `@${object.id} ${object.name}  own ${bytesText(object.selfBytes)}, retained ${bytesText(object.retainedBytes)}`;
  if (paths.length === 0) return `${head}\nnothing holds it but weak references\n`;
  const parts = paths.map(
    (path, i) =>
      `path ${i + 1} of ${paths.length}\n${indented(traceText(path.steps, paint))}\n  code: ${path.code}`,
  );
  return `${[head, ...parts].join('\n\n')}\n`;
}

/** The answer to `--retainers NAME`. */
export function classText(
  name: string,
  found: { readonly instances: number; readonly paths: readonly ClassPath[] },
  paint: Paint = plain,
): string {
  const looked = found.paths.reduce((sum, path) => sum + path.instances, 0);
  const head = `${countText(found.instances)} × ${name}, held in ${found.paths.length} way${found.paths.length === 1 ? '' : 's'} (${countText(looked)} looked at)`;
  const parts = found.paths
    .slice(0, 5)
    .map(
      (path) =>
        `${countText(path.instances)} of ${countText(looked)}\n${indented(traceText(path.trace.steps, paint))}\n  code: ${path.trace.code}`,
    );
  return `${[head, ...parts].join('\n\n')}\n`;
}

/** The answer to `--focus SCOPE`. */
export function scopeText(scopes: readonly RetainedScope[], holds: readonly DominatorRow[]): string {
  const rows = scopes.map((row) => [row.path, row.state, countText(row.roots), bytesText(row.retainedBytes)]);
  const objects = holds.map((row) => [
    row.name,
    `@${row.id}`,
    bytesText(row.selfBytes),
    bytesText(row.retainedBytes),
  ]);
  return `${textTable(['scope', 'state', 'roots', 'retained'], rows)}\n\n${textTable(['holds', 'id', 'own', 'retained'], objects)}\n`;
}
