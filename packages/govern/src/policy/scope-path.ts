import { failure } from '@plimsoll/core/internal/errors';
import { pathSegment } from '@plimsoll/core/internal/scope/scope-path';

/** One step of a scope path: `session:42` is the kind "session" with the name "42". */
export interface ScopeStep {
  readonly kind: string;
  readonly name: string;
}

/**
 * The steps of "process/agent:planner/session:42" from the outside in, without the process itself. "agent:planner/session:42" is the same
 * path.
 */
export function parseScopePath(path: string): readonly ScopeStep[] {
  const parts = path.split('/');
  if (parts[0] === 'process' || parts[0] === '') parts.shift();
  return parts.map((part) => {
    const colon = part.indexOf(':');
    if (colon <= 0 || colon === part.length - 1) throw failure('PLM_POLICY_BAD_SCOPE_PATH', { path, part });
    return { kind: unescape(part.slice(0, colon)), name: unescape(part.slice(colon + 1)) };
  });
}

/** Undoes the escapes of a path such as %2F or %u202E, because rules match names and not their spelling in a path. */
function unescape(text: string): string {
  return text.replace(/%u([0-9A-F]{4})|%([0-9A-F]{2})/g, (_, wide?: string, narrow?: string) =>
    String.fromCharCode(Number.parseInt((wide ?? narrow) as string, 16)),
  );
}

/** "session:42", escaped as in a scope path. */
export function formatStep(step: ScopeStep): string {
  return pathSegment(step.kind, step.name);
}
