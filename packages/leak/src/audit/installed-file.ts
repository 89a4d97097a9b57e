/** Whose a file is, by its path. The page imports this file, so that it imports nothing of Node.js. */
const installed = /[\\/]node_modules[\\/]/;

/** Whether a file belongs to an installed package. */
export function installedFile(file: string): boolean {
  return installed.test(file);
}

/** Of a function and its callers, innermost first, the nearest one that is the program's own. */
export function nearestOwn<T extends { readonly file: string }>(stack: readonly T[]): T | undefined {
  return stack.find(({ file }) => !installedFile(file));
}
