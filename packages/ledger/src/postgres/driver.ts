import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { failure } from '@plimsoll/core/internal/errors';
import { redactUrl } from './redact.ts';

/**
 * The part of the package `pg` that is used here. It was chosen over `postgres`, which has no dependencies: when a server is killed while a
 * statement is being written, `postgres` 3.4.9 throws out of a timer, where no code can catch it. `pg` rejects the statement.
 */
export interface PgDriver {
  readonly Pool: new (
    options: DriverOptions & { max: number; idleTimeoutMillis: number; allowExitOnIdle: boolean },
  ) => DriverPool;
  readonly Client: new (options: DriverOptions) => DriverClient;
}

export interface DriverOptions {
  readonly connectionString: string;
  readonly connectionTimeoutMillis: number;
  readonly statement_timeout: number;
  readonly application_name: string;
  readonly keepAlive: boolean;
}

interface DriverSession {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

export interface DriverClient extends DriverSession {
  connect(): Promise<unknown>;
  on(event: 'notification', heard: (message: { readonly payload?: string }) => void): void;
  on(event: 'error' | 'end', heard: () => void): void;
  end(): Promise<void>;
  readonly connection: { readonly stream: { destroy(): void } };
}

export interface PooledClient extends DriverClient {
  release(destroy?: boolean): void;
}

export interface DriverPool {
  connect(): Promise<PooledClient>;
  on(event: 'error', heard: () => void): void;
  end(): Promise<void>;
}

type Loaded = PgDriver & { readonly default?: PgDriver };

/** Loads the package `pg` of the user's program. It is an optional peer dependency. */
export async function loadDriver(url: string): Promise<PgDriver> {
  // The variable hides the name from the compiler, because the package has no types of its own.
  const name: string = 'pg';
  try {
    return unwrap((await import(name)) as Loaded);
  } catch {
    // A command that npx started finds the package only in the folder of the program.
  }
  try {
    const found = createRequire(join(process.cwd(), 'package.json')).resolve(name);
    return unwrap((await import(pathToFileURL(found).href)) as Loaded);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw failure('PLM_FLEET_CLIENT_MISSING', { url: redactUrl(url), reason });
  }
}

function unwrap(loaded: Loaded): PgDriver {
  return loaded.default ?? loaded;
}
