import { fileURLToPath } from 'node:url';

/**
 * A module of ours that runs as a thread or process of its own. Every such start goes through these two functions: unbuilt, our packages
 * resolve each other only under a condition, and a thread that is started without it cannot import them.
 */
const sourceCondition = '--conditions=plimsoll-source';

/** Address of the module `name` (without extension) beside the file that asks, as source or built like that file itself. */
export function moduleBeside(name: string, file: string): URL {
  return new URL(`./${name}${file.endsWith('.ts') ? '.ts' : '.js'}`, file);
}

/** Node flags that a module of ours needs to resolve our packages: the condition for a source, none for a built one. */
export function flagsFor(module: URL | string): string[] {
  const path = module instanceof URL ? fileURLToPath(module) : module;
  return path.endsWith('.ts') ? [sourceCondition] : [];
}
