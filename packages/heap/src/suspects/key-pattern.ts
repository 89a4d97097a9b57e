import { textClassOf, type TextClass } from '../redact/placeholder.ts';
import type { HeapGraph } from '../snapshot.ts';
import { isText, mostSearchedEdges, tableOf, textParts } from '../trace/node-kind.ts';

const sampled = 400;
const agreement = 0.8;
/** Keys that a program makes up as it runs; words are keys that someone wrote. */
const generated: ReadonlySet<TextClass> = new Set([
  'integer',
  'timestamp',
  'uuid',
  'hex',
  'serial',
  'email',
  'url',
]);

/** What the keys of a map or dictionary have in common when they were generated: a collection that is never full. */
export function keyPattern(graph: HeapGraph, holder: number): TextClass | undefined {
  const table = tableOf(graph, holder);
  const keys = table >= 0 ? tableTexts(graph, table) : propertyNames(graph, holder);
  if (keys.length < 10) return undefined;
  const counts = new Map<TextClass, number>();
  for (const key of keys) counts.set(textClassOf(key), (counts.get(textClassOf(key)) ?? 0) + 1);
  for (const [kind, count] of counts) {
    if (generated.has(kind) && count >= keys.length * agreement) return kind;
  }
  return undefined;
}

function tableTexts(graph: HeapGraph, table: number): string[] {
  const texts: string[] = [];
  const end = graph.lastEdge(table);
  for (let edge = graph.firstEdge(table); edge < end && texts.length < sampled; edge++) {
    const to = graph.edgeTo(edge);
    if (!isText(graph.nodeType(to))) continue;
    const parts = textParts(graph, to) ?? [];
    // A Map flattens its keys. A rope of several pieces is a value.
    texts.push(parts.length === 1 ? (parts[0] as string) : '(rope)');
  }
  return texts;
}

function propertyNames(graph: HeapGraph, holder: number): string[] {
  const names: string[] = [];
  const end = Math.min(graph.lastEdge(holder), graph.firstEdge(holder) + mostSearchedEdges);
  for (let edge = graph.firstEdge(holder); edge < end && names.length < sampled; edge++) {
    const name = graph.edgeName(edge);
    if (graph.edgeType(edge) === 'property' && typeof name === 'string' && name !== '__proto__')
      names.push(name);
  }
  return names;
}
