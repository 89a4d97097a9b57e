/** Opens a scope for a call of the program. What goes wrong on our side leaves the call without a scope. */
export function openSafely<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
