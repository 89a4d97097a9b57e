import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '@plimsoll/core/internal/errors';
import { isNode, listeningPorts, processFacts, type AttachedProcess } from './process-facts.ts';

/** The address of a process's inspector, and whether we opened it. */
export interface Inspector {
  readonly url: string;
  readonly port: number;
  /** True when we opened it. It is then closed again at the end. */
  readonly isOurs: boolean;
}

interface FindOptions {
  /** Allows attaching to a process of another user. */
  readonly otherUser?: boolean;
  readonly timeoutMs?: number;
  readonly proc?: string;
  readonly uid?: number;
}

const defaultPort = 9229;
const beatMs = 25;

/** The facts of a process that may be attached to. Throws with the reason otherwise. It does not touch the process. */
export function attachable(pid: number, options: FindOptions = {}): AttachedProcess {
  if (process.platform !== 'linux') throw failure('PLM_ATTACH_PLATFORM', { platform: process.platform });
  const facts = processFacts(pid, options.proc);
  if (facts === undefined) throw failure('PLM_ATTACH_NO_PROCESS', { pid });
  if (!isNode(facts)) throw failure('PLM_ATTACH_NOT_NODE', { pid, program: facts.program });
  const uid = options.uid ?? process.getuid?.() ?? 0;
  if (facts.uid !== uid && options.otherUser !== true) {
    throw failure('PLM_ATTACH_OTHER_USER', { pid, owner: facts.uid, uid });
  }
  return facts;
}

/** Finds the inspector of a process, opening it with SIGUSR1 when it is closed. */
export async function findInspector(facts: AttachedProcess, options: FindOptions = {}): Promise<Inspector> {
  const { pid } = facts;
  const before = listeningPorts(pid, options.proc);
  const open = await openAlready(facts, before);
  if (open !== undefined) return open;
  if (facts.args.includes('--disable-sigusr1') || facts.onUsr1 !== 'caught') {
    throw failure('PLM_ATTACH_SIGNAL_OFF', { pid });
  }
  process.kill(pid, 'SIGUSR1');
  const until = performance.now() + (options.timeoutMs ?? 15_000);
  while (performance.now() < until) {
    await sleep(beatMs);
    for (const port of listeningPorts(pid, options.proc)) {
      if (before.has(port)) continue;
      const url = await socketUrl('127.0.0.1', port);
      if (url !== undefined) return { url, port, isOurs: true };
    }
  }
  // An earlier signal opened the inspector on a port that counted as one of the program's own.
  for (const port of before) {
    const url = await socketUrl('127.0.0.1', port);
    if (url !== undefined) return { url, port, isOurs: false };
  }
  const taken = (await socketUrl('127.0.0.1', defaultPort)) !== undefined;
  throw taken
    ? failure('PLM_ATTACH_PORT_TAKEN', { pid, port: defaultPort })
    : failure('PLM_ATTACH_NO_INSPECTOR', { pid });
}

/** Asking a program's own port would be a request to the program. So ports that are named as inspectors are asked first. */
async function openAlready(
  facts: AttachedProcess,
  ports: ReadonlySet<number>,
): Promise<Inspector | undefined> {
  const wasAsked = facts.args.some((arg) => /^--inspect(?:-brk|-wait)?(?:=|$)/.test(arg));
  const likely = [...ports].filter((port) => wasAsked || port === defaultPort);
  for (const port of likely) {
    const url = await socketUrl('127.0.0.1', port);
    if (url !== undefined) return { url, port, isOurs: false };
  }
  return undefined;
}

/** The WebSocket address that an inspector port announces; undefined when the port is not an inspector. */
export function socketUrl(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const asked = request({ host, port, path: '/json/list', timeout: 2000, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk.length < 65_536 ? chunk : '';
      });
      answer.on('end', () => resolve(urlIn(body)));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(undefined));
    asked.end();
  });
}

function urlIn(body: string): string | undefined {
  try {
    const [target] = JSON.parse(body) as { webSocketDebuggerUrl?: string; type?: string }[];
    return target?.type === 'node' ? target.webSocketDebuggerUrl : undefined;
  } catch {
    return undefined;
  }
}
