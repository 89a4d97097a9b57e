import { formatByteSize } from '@plimsoll/core/units';

/** What an action changed, in words. A negative number means that the program took more meanwhile than the action freed. */
export function freedText(bytes: number): string {
  if (bytes === 0) return 'freed nothing';
  return bytes > 0 ? `freed ${formatByteSize(bytes)}` : `memory grew by ${formatByteSize(-bytes)} meanwhile`;
}
