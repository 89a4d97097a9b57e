import { failure } from '../errors.ts';

/** One step of a scope path: `session:42` is the kind "session" with the name "42". */
export interface ScopeStep {
  readonly kind: string;
  readonly name: string;
}

/** The steps of "process/agent:planner/session:42" from the outside in, without the process itself. "agent:planner/session:42" means the same. */
export function parseScopePath(path: string): readonly ScopeStep[] {
  const parts = path.split('/');
  if (parts[0] === 'process' || parts[0] === '') parts.shift();
  return parts.map((part) => {
    const colon = part.indexOf(':');
    if (colon <= 0 || colon === part.length - 1) throw failure('PLM_POLICY_BAD_SCOPE_PATH', { path, part });
    return { kind: part.slice(0, colon), name: part.slice(colon + 1) };
  });
}

export function formatStep(step: ScopeStep): string {
  return `${step.kind}:${step.name}`;
}
