import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Capture } from './testimony.ts';
import type { Evidence } from './evidence.ts';

const longestMs = 300_000;
const mostOutput = 64 * 1024 * 1024;

/** What the analyst is asked: the snapshots, and the scopes whose watched objects are to be found. */
export interface Question {
  readonly last: string;
  readonly first: string | null;
  readonly watchedScopes: readonly string[];
}

/** Has the snapshots read by an analyst process; undefined when it fails, whatever the reason. */
export function analyzeElsewhere(
  last: Capture,
  first: Capture | null,
  watchedScopes: readonly string[] = [],
  entry: string = ownEntry(),
): Promise<Evidence | undefined> {
  return new Promise((resolve) => {
    const question: Question = { last: last.file, first: first?.file ?? null, watchedScopes };
    const flags = entry.endsWith('.ts') ? ['--conditions=plimsoll-source'] : [];
    const child = spawn(process.execPath, [...flags, entry, JSON.stringify(question)], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, NODE_OPTIONS: '', PLIMSOLL: 'off' },
      timeout: longestMs,
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length < mostOutput) text += chunk;
    });
    child.once('error', () => resolve(undefined));
    child.once('close', (code) => resolve(code === 0 ? parse(text) : undefined));
    child.unref();
  });
}

function parse(text: string): Evidence | undefined {
  try {
    return JSON.parse(text) as Evidence;
  } catch {
    return undefined;
  }
}

function ownEntry(): string {
  const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./analyst.${suffix}`, import.meta.url));
}
