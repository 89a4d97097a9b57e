import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Name and version of the user's program. */
export interface Program {
  readonly service?: string;
  readonly release?: string;
}

/**
 * Name and version from the environment. The order is: the attributes of OpenTelemetry, the variables of npm (set by `npm start`), the
 * commit of the checkout. A release in the policy comes before all of these.
 */
export function programOf(env: Environment, cwd: string): Program {
  const attributes = attributesOf(env['OTEL_RESOURCE_ATTRIBUTES'] ?? '');
  const service = env['OTEL_SERVICE_NAME'] || attributes.get('service.name') || env['npm_package_name'];
  const release =
    env['PLIMSOLL_RELEASE'] ||
    attributes.get('service.version') ||
    env['npm_package_version'] ||
    commitOf(cwd);
  return {
    ...(service !== undefined && service !== '' && { service: service.slice(0, 100) }),
    ...(release !== undefined && release !== '' && { release: release.slice(0, 100) }),
  };
}

/** `key=value,key=value`, with the values percent-encoded. */
function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of text.slice(0, 10_000).split(',')) {
    const at = pair.indexOf('=');
    if (at < 1) continue;
    const value = pair.slice(at + 1).trim();
    try {
      found.set(pair.slice(0, at).trim(), decodeURIComponent(value));
    } catch {
      found.set(pair.slice(0, at).trim(), value);
    }
  }
  return found;
}

const mostFolders = 8;
const hash = /^[0-9a-f]{40,64}$/;

/** The commit that is checked out here, in twelve characters; read from files, because a program must not wait for git. */
function commitOf(cwd: string): string | undefined {
  let folder = resolve(cwd);
  for (let i = 0; i < mostFolders; i++) {
    const git = join(folder, '.git');
    try {
      if (statSync(git).isDirectory()) return headOf(git);
    } catch {
      // Not here; perhaps above.
    }
    if (dirname(folder) === folder) return undefined;
    folder = dirname(folder);
  }
  return undefined;
}

function headOf(git: string): string | undefined {
  try {
    const head = readFileSync(join(git, 'HEAD'), 'utf8').trim();
    const ref = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1];
    const found = ref === undefined ? head : refOf(git, ref);
    return found !== undefined && hash.test(found) ? found.slice(0, 12) : undefined;
  } catch {
    return undefined;
  }
}

function refOf(git: string, ref: string): string | undefined {
  try {
    return readFileSync(join(git, ref), 'utf8').trim();
  } catch {
    const packed = readFileSync(join(git, 'packed-refs'), 'utf8');
    return packed
      .split('\n')
      .find((line) => line.endsWith(` ${ref}`))
      ?.split(' ')[0];
  }
}
