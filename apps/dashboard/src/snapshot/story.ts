import { open, treemapTree } from '@plimsoll/heap/browser';
import type { SnapshotStory } from './message.ts';

const topClasses = 25;
const topSuspects = 8;
const topScopes = 200;

/** Reads a snapshot and answers the page. It runs in a worker, so that the page stays responsive while a gigabyte is read. */
export async function tellStory(
  file: File,
  onProgress: (phase: string, ratio: number) => void,
): Promise<SnapshotStory> {
  const started = performance.now();
  let read = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks(await textOf(file))) {
      read += chunk.length;
      onProgress('read', isGzip(file) ? 0 : read / file.size);
      yield chunk;
    }
  };
  // The content security policy of the page allows no WebAssembly; the TypeScript kernel gives exactly the same results.
  const snapshot = await open(counted(), { kernel: 'typescript' });
  try {
    onProgress('dominators', 0);
    const { heapBytes } = snapshot;
    onProgress('suspects', 0);
    const suspects = snapshot.suspects({ limit: topSuspects });
    onProgress('treemap', 0);
    return {
      name: file.name,
      fileBytes: file.size,
      nodes: snapshot.graph.nodeCount,
      edges: snapshot.graph.edgeCount,
      heapBytes,
      map: treemapTree(snapshot),
      suspects,
      classes: snapshot
        .constructors()
        .filter(({ name }) => name !== '(synthetic)')
        .slice(0, topClasses),
      scopes: snapshot.scopes().slice(0, topScopes),
      ms: Math.round(performance.now() - started),
    };
  } finally {
    snapshot.close();
  }
}

function isGzip(file: File): boolean {
  return /\.gz$/i.test(file.name);
}

async function textOf(file: File): Promise<ReadableStream<Uint8Array>> {
  return isGzip(file) ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
}

async function* chunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
