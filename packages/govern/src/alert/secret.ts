import { open } from 'node:fs/promises';
import { failure } from '@plimsoll/core/internal/errors';
import type { SecretRef } from '../policy/sections/alert-rules.ts';

type Environment = Readonly<Record<string, string | undefined>>;
const longestSecret = 16 * 1024;

/**
 * The text of a secret from the place that the policy names. It is read at each use, so that a rotated file is used. Errors name the place
 * and never the secret.
 */
export async function readSecret(
  ref: SecretRef,
  recipient: string,
  env: Environment = process.env,
): Promise<string> {
  const from = 'env' in ref ? `environment variable ${ref.env}` : `file ${ref.file}`;
  const refuse = (reason: string): never => {
    throw failure('PLM_ALERT_NO_SECRET', { recipient, from, reason });
  };
  const text =
    'env' in ref
      ? env[ref.env]
      : await readStart(ref.file).catch((error: NodeJS.ErrnoException) =>
          refuse(error.code ?? 'it cannot be read'),
        );
  const found = text?.trim() ?? '';
  if (found === '') refuse(text === undefined ? 'it is not set' : 'it is empty');
  if (found.length > longestSecret) refuse('it is too long');
  return found;
}

async function readStart(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestSecret + 1), 0, longestSecret + 1, 0);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}
