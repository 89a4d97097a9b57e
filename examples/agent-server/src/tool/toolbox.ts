import { setTimeout as delay } from 'node:timers/promises';
import { calculator } from './calculator.ts';
import type { Corpus } from './corpus.ts';
import type { Tool } from './tool.ts';

export type Toolbox = ReadonlyMap<string, Tool>;

/** Documents that a session keeps, so that a follow-up question does not fetch them again. */
const keptDocuments = 6;

/** The tools of this server; `toolMs` is the simulated response time. */
export function createToolbox(corpus: Corpus, toolMs: number): Toolbox {
  const search: Tool = {
    name: 'search',
    execute: async (input, { signal }) => {
      await answer(toolMs, signal);
      return JSON.stringify(corpus.search(input['query'] ?? '', 8));
    },
  };
  const fetchDocument: Tool = {
    name: 'fetch_document',
    execute: async (input, { signal, documents }) => {
      const id = input['id'] ?? '';
      const kept = documents.get(id);
      if (kept !== undefined) return kept;
      await answer(toolMs, signal);
      const text = corpus.document(id);
      documents.set(id, text);
      for (const oldest of documents.keys()) {
        if (documents.size <= keptDocuments) break;
        documents.delete(oldest);
      }
      return text;
    },
  };
  return new Map([search, calculator, fetchDocument].map((tool) => [tool.name, tool]));
}

async function answer(toolMs: number, signal: AbortSignal): Promise<void> {
  if (toolMs > 0) await delay(toolMs, undefined, { signal });
}
