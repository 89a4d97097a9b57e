/** Makes an error without walking the stack, seven of its eight microseconds; for errors whose text says where they come from. */
export function withoutStack<T>(make: () => T): T {
  const limit = Error.stackTraceLimit;
  limitStack(0);
  try {
    return make();
  } finally {
    limitStack(limit);
  }
}

/** Under frozen intrinsics an assignment throws, and the stack is walked instead. */
function limitStack(frames: number): void {
  try {
    Error.stackTraceLimit = frames;
  } catch {}
}
