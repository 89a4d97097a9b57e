import type * as core from '@a2a-js/sdk';
import type * as client from '@a2a-js/sdk/client';
import type * as errors from '@a2a-js/sdk/errors';
import type * as server from '@a2a-js/sdk/server';
import { failure } from '@plimsoll/core/internal/errors';

/** The parts of the A2A SDK, loaded when they are first needed: it is an optional package. */
export interface A2aClientSdk {
  readonly core: typeof core;
  readonly client: typeof client;
}

export interface A2aServerSdk {
  readonly core: typeof core;
  readonly server: typeof server;
  readonly errors: typeof errors;
}

export async function loadClientSdk(): Promise<A2aClientSdk> {
  return load(async () => ({
    core: await import('@a2a-js/sdk'),
    client: await import('@a2a-js/sdk/client'),
  }));
}

export async function loadServerSdk(): Promise<A2aServerSdk> {
  return load(async () => ({
    core: await import('@a2a-js/sdk'),
    server: await import('@a2a-js/sdk/server'),
    errors: await import('@a2a-js/sdk/errors'),
  }));
}

/** Runs an import and says how to install the SDK when it is not there. */
export async function load<Sdk>(importer: () => Promise<Sdk>): Promise<Sdk> {
  try {
    return await importer();
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
    throw failure(
      'PLM_A2A_SDK_MISSING',
      { reason: reason.replace(/ imported from .*$/, '') },
      { cause: error },
    );
  }
}
