import type { ErrorAnswer } from '@plimsoll/host/protocol/api';
import { token } from './token.ts';

/** An error answer of the server. */
export class ApiError extends Error {
  readonly code: string;
  readonly fix: string;
  readonly status: number;

  constructor(status: number, code: string, message: string, fix: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.fix = fix;
  }

  /** Any thrown value as an error that can be shown. */
  static of(failure: unknown): ApiError {
    return failure instanceof ApiError ? failure : new ApiError(0, 'page', String(failure), 'Try again.');
  }
}

function headers(): Record<string, string> {
  const value = token();
  return value === null ? {} : { authorization: `Bearer ${value}` };
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  const body = (await response.json().catch(() => null)) as unknown;
  if (response.ok) return body as Answer;
  const error = (body as ErrorAnswer | null)?.error;
  throw new ApiError(
    response.status,
    error?.code ?? `HTTP ${response.status}`,
    error?.message ?? `The server answered with status ${response.status}.`,
    error?.fix ?? 'Look at the terminal that runs plimsoll.',
  );
}

/** Longest wait for an answer. The slowest one is a query over a month on a busy machine. */
const longestMs = 20_000;

async function ask<Answer>(path: string, init: RequestInit): Promise<Answer> {
  let response;
  try {
    const patience = AbortSignal.timeout(longestMs);
    response = await fetch(path, {
      ...init,
      signal: init.signal == null ? patience : AbortSignal.any([init.signal, patience]),
    });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(
      0,
      'unreachable',
      'The server does not answer.',
      'Start it again with plimsoll run, dev or serve.',
    );
  }
  return answerOf<Answer>(response);
}

/** The chosen process, which every route gets; null for the default. */
let chosenPid: string | null = null;

export function choosePid(pid: string | null): void {
  chosenPid = pid;
}

/** An address of the server with its query; values that are undefined are left out. */
export function address(
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const search = new URLSearchParams();
  if (chosenPid !== null) search.set('pid', chosenPid);
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

export function get<Answer>(
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
  signal?: AbortSignal,
): Promise<Answer> {
  return ask<Answer>(address(path, query), { headers: headers(), ...(signal !== undefined && { signal }) });
}

/** A file of the server, without a timeout, because it may be large. */
export async function download(path: string): Promise<Blob> {
  const response = await fetch(address(path), { headers: headers() });
  return response.ok ? response.blob() : answerOf<Blob>(response);
}

export function post<Answer>(path: string, body: unknown): Promise<Answer> {
  return ask<Answer>(address(path), {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
