import type { ErrorEntry } from './errors/entry.ts';
import { adapterErrors } from './errors/adapters.ts';
import { admitErrors } from './errors/admit.ts';
import { alertErrors } from './errors/alert.ts';
import { approvalErrors } from './errors/approval.ts';
import { cliErrors } from './errors/cli.ts';
import { controlErrors } from './errors/control.ts';
import { detectErrors } from './errors/detect.ts';
import { fleetErrors } from './errors/fleet.ts';
import { governErrors } from './errors/govern.ts';
import { hostErrors } from './errors/host.ts';
import { isolateErrors } from './errors/isolate.ts';
import { keepErrors } from './errors/keep.ts';
import { pipelineErrors } from './errors/pipeline.ts';
import { policyErrors } from './errors/policy.ts';
import { ledgerErrors } from './errors/ledger.ts';
import { scopeErrors } from './errors/scope.ts';
import { senseErrors } from './errors/sense.ts';
import { serverErrors } from './errors/server.ts';
import { stressErrors } from './errors/stress.ts';
import { testkitErrors } from './errors/testkit.ts';

/** C0 except tab and newline, DEL, C1, and the characters that reorder or hide text around them. */
// eslint-disable-next-line no-control-regex -- this is what it looks for
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Writes control characters as `\x1b` or `\u202e`. Text from a file or a peer may hold escape sequences that clear a terminal or fake a line
 * of output; whoever prints such text escapes it first.
 */
function plainText(text: string): string {
  return text.replace(unsafe, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
  });
}

/** Every error and warning code of Plimsoll, one area per file under `errors/`. */
export const catalogue = {
  ...adapterErrors,
  ...alertErrors,
  ...admitErrors,
  ...approvalErrors,
  ...cliErrors,
  ...controlErrors,
  ...detectErrors,
  ...fleetErrors,
  ...governErrors,
  ...hostErrors,
  ...isolateErrors,
  ...keepErrors,
  ...pipelineErrors,
  ...policyErrors,
  ...ledgerErrors,
  ...scopeErrors,
  ...senseErrors,
  ...serverErrors,
  ...stressErrors,
  ...testkitErrors,
};

type ErrorCode = keyof typeof catalogue;

type Details<Code extends ErrorCode> = (typeof catalogue)[Code] extends ErrorEntry<infer D> ? D : never;

const brand = Symbol.for('plimsoll.error');

/** An error with a code, a place and a way out; `String(error)` is the three-line form. */
export class PlimsollError extends Error {
  readonly code: string;
  readonly where: string;
  readonly fix: string;
  readonly docs: string;

  constructor(
    code: string,
    text: { message: string; where: string; fix: string },
    options?: { cause?: unknown },
  ) {
    // Names, keys and paths in an error are not ours, and errors end up on terminals.
    super(plainText(text.message), options);
    this.name = 'PlimsollError';
    this.code = code;
    this.where = plainText(text.where);
    this.fix = plainText(text.fix);
    this.docs = `plimsoll docs ${code}`;
  }

  get [brand](): true {
    return true;
  }

  override toString(): string {
    return `${this.code}: ${this.message}\n  at:  ${this.where}\n  fix: ${this.fix}`;
  }
}

/** Builds the catalogued error; the caller throws or reports it. */
export function failure<Code extends ErrorCode>(
  code: Code,
  details: Details<Code>,
  options?: { cause?: unknown },
): PlimsollError {
  const found = catalogue[code] as unknown as ErrorEntry<Details<Code>>;
  return new PlimsollError(code, found.text(details), options);
}

/** True for our errors, also from another copy of the package. */
export function isPlimsollError(value: unknown): value is PlimsollError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}

const warned = new Set<string>();

/** Emits a coded process warning once per code and place; the set is bounded because places are. */
export function warnOnce<Code extends ErrorCode>(code: Code, details: Details<Code>): void {
  const error = failure(code, details);
  const key = `${code} ${error.where}`;
  if (warned.has(key) || warned.size >= 1000) return;
  warned.add(key);
  process.emitWarning(`${error.message} (fix: ${error.fix})`, { type: 'PlimsollWarning', code });
}
