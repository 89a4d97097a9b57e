import { createHash } from 'node:crypto';
import { PlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { crossProblems } from './cross-rules.ts';
import { policyDocument } from './document.ts';
import { DocumentReader } from './form/document-reader.ts';
import type { Policy } from './policy.ts';
import { resolvePolicy } from './resolve.ts';
import { parseYamlTree } from './form/yaml-tree.ts';

const maxProblems = 50;

/** The policy of a text, or every problem in the text. */
export type PolicyCheck =
  | { readonly policy: Policy; readonly problems: readonly [] }
  | { readonly policy?: never; readonly problems: readonly PlimsollError[] };

/** The error of a refused policy, with a list of its problems. One problem is thrown with its own code, several with PLM_POLICY_SEVERAL. */
export class PolicyError extends PlimsollError {
  readonly problems: readonly PlimsollError[];

  constructor(file: string, problems: readonly PlimsollError[]) {
    const [first] = problems;
    const shown =
      problems.length === 1
        ? (first as PlimsollError)
        : failure('PLM_POLICY_SEVERAL', { file, count: problems.length, list: problems.join('\n\n') });
    super(shown.code, shown);
    this.problems = problems;
  }
}

/** Checks a policy text without throwing. `file` is the name used in positions. */
export function checkPolicy(text: string, file: string): PolicyCheck {
  const { tree, problems } = parseYamlTree(text, file);
  if (tree === undefined) return { problems };
  const reader = new DocumentReader();
  const document = reader.read(policyDocument, tree);
  const all = [...reader.problems, ...(document === undefined ? [] : crossProblems(document, reader))];
  if (all.length > 0 || document === undefined)
    return { problems: all.sort(byPosition).slice(0, maxProblems) };
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { policy: resolvePolicy(document, reader, { file, sha256 }), problems: [] };
}

/** The place of a problem, parsed from its text; line 0 for a problem of the whole file. */
export function positionOf(problem: PlimsollError): { readonly line: number; readonly column: number } {
  const match = /:(\d+):(\d+)(?: {2}|$)/.exec(problem.where);
  return { line: Number(match?.[1] ?? 0), column: Number(match?.[2] ?? 0) };
}

function byPosition(a: PlimsollError, b: PlimsollError): number {
  const left = positionOf(a);
  const right = positionOf(b);
  return left.line - right.line || left.column - right.column;
}

/** The policy of a YAML text; throws a `PolicyError` with `file:line:column` for each fault. */
export function parsePolicy(text: string, file: string): Policy {
  const { policy, problems } = checkPolicy(text, file);
  if (policy === undefined) throw new PolicyError(file, problems);
  return policy;
}
