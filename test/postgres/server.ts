/** Real PostgreSQL servers for tests and benchmarks. They need no root and no installation on the machine. */
import { execFile } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { loadDriver } from '@plimsoll/ledger/internal/postgres/driver';
import { installOnce } from '../install-once.ts';
import { endGroup, startGroup } from '../process-group.ts';

const exec = promisify(execFile);
const here = import.meta.dirname;
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
/** PostgreSQL refuses to run as root. */
const as = isRoot ? { uid: nobody, gid: nobody } : {};

export const password = 'se cret/ü';
const user = 'plimsoll';

/** Versions that the tests always use, and those that are installed when somebody asks for them. */
const often = [14, 18] as const;
const seldom = [15, 16, 17] as const;
const more = join(here, 'more');
type Version = (typeof often)[number] | (typeof seldom)[number];

/** The version of servers for which a test names none: PLIMSOLL_TEST_POSTGRES, 14 to 18; 18 by default. */
const chosen = versionOf(process.env['PLIMSOLL_TEST_POSTGRES'] ?? '18');

function versionOf(text: string): Version {
  const found = [...often, ...seldom].find((version) => String(version) === text);
  if (found === undefined) throw new Error(`PLIMSOLL_TEST_POSTGRES is "${text}"; 14 to 18 can be had`);
  return found;
}

export interface ServerOptions {
  readonly version?: Version;
  /** Settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** Starts a server with an empty data folder, on a free port of 127.0.0.1. It ends with the test file. */
export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const native = await binaries(options.version ?? chosen);
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-postgres-'));
  if (isRoot) chownSync(dir, nobody, nobody);
  const secret = join(dir, 'password');
  writeFileSync(secret, password);
  if (isRoot) chownSync(secret, nobody, nobody);
  await exec(
    join(native, 'bin/initdb'),
    [
      '--no-sync',
      '--pgdata',
      join(dir, 'data'),
      '--username',
      user,
      '--pwfile',
      secret,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
    ],
    as,
  );
  const server = new PostgresServer(native, dir, await freePort(), options.settings ?? {});
  await server.start();
  return server;
}

export class PostgresServer {
  readonly port: number;
  readonly #native: string;
  readonly #dir: string;
  readonly #settings: Readonly<Record<string, string | number>>;
  #child: ChildProcess | undefined;
  #databases = 0;

  constructor(
    native: string,
    dir: string,
    port: number,
    settings: Readonly<Record<string, string | number>>,
  ) {
    this.#native = native;
    this.#dir = dir;
    this.port = port;
    this.#settings = settings;
  }

  url(database = 'postgres', name = user, secret = password): string {
    return `postgres://${encodeURIComponent(name)}:${encodeURIComponent(secret)}@127.0.0.1:${this.port}/${database}`;
  }

  /** Makes an empty database and gives its URL. */
  async database(): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.sql(`create database ${name}`);
    return this.url(name);
  }

  /** Runs statements as the superuser, beside the code that is tested. */
  async sql<T = Record<string, unknown>>(text: string, url = this.url()): Promise<readonly T[]> {
    const { Client } = await loadDriver(url);
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: 20_000,
      statement_timeout: 60_000,
      application_name: 'test',
      keepAlive: true,
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows as readonly T[];
    } finally {
      await client.end();
    }
  }

  async start(): Promise<void> {
    const settings = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.#dir,
      // What a killed server has written is in the kernel; only a power failure needs more.
      fsync: 'off',
      full_page_writes: 'off',
      shared_buffers: '32MB',
      max_wal_size: '256MB',
      ...this.#settings,
    };
    const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const child = startGroup(join(this.#native, 'bin/postgres'), ['-D', join(this.#dir, 'data'), ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...as,
    });
    this.#child = child;
    let log = '';
    const ready = new Promise<void>((done, failed) => {
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-20_000);
        if (log.includes('ready to accept connections')) done();
      });
      child.once('exit', () => failed(new Error(`postgres ended:\n${log}`)));
    });
    await ready;
  }

  /** Ends every process of the server at once, as `kill -9` or the kernel does. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    this.#signal('SIGKILL');
    endGroup(child);
    await gone;
    rmSync(join(this.#dir, 'data/postmaster.pid'), { force: true });
  }

  /** Stops every process of the server, as a network that swallows everything looks from outside. */
  pause(): void {
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #signal(name: NodeJS.Signals): void {
    if (this.#child?.pid === undefined) return;
    // Each backend is a group of its own.
    for (const pid of [this.#child.pid, ...childrenOf(this.#child.pid)]) signal(pid, name);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** The folder with bin, lib and share of a version. Installs the packages when they are missing. */
async function binaries(version: Version): Promise<string> {
  const isOften = often.some((each) => each === version);
  await (isOften ? installPostgres() : installOnce(more, () => link(more, seldom)));
  return reachable(join(isOften ? here : more, `node_modules/postgres-${version}/native`), version);
}

export function installPostgres(): Promise<void> {
  return installOnce(here, () => link(here, often));
}

/** Makes the links that the install scripts of the packages would make. npm packs no links, so the packages list them. */
function link(folder: string, versions: readonly Version[]): void {
  for (const version of versions) {
    const root = join(folder, `node_modules/postgres-${version}`);
    const links = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')) as {
      source: string;
      target: string;
    }[];
    for (const { source, target } of links) {
      const path = join(root, target);
      if (!existsSync(path)) symlinkSync(relative(dirname(path), join(root, source)), path);
    }
    for (const name of ['initdb', 'pg_ctl', 'postgres']) chmodSync(join(root, 'native/bin', name), 0o755);
  }
}

/** Another user may not reach a checkout below a closed home folder; then the binaries are copied to where it may. */
function reachable(native: string, version: number): string {
  if (!isRoot || isOpen(native)) return native;
  const copy = join(tmpdir(), `plimsoll-postgres-${version}`);
  if (!existsSync(copy)) {
    const part = mkdtempSync(join(tmpdir(), 'plimsoll-postgres-copy-'));
    chmodSync(part, 0o755);
    cpSync(native, join(part, 'native'), { recursive: true, verbatimSymlinks: true });
    try {
      renameSync(part, copy);
    } catch {
      rmSync(part, { recursive: true, force: true });
    }
  }
  return join(copy, 'native');
}

function isOpen(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
