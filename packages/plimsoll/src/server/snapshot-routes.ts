import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { failure } from '@plimsoll/core/internal/errors';
import type { SnapshotAnswer } from '@plimsoll/host/protocol/api';
import { streams } from './route.ts';
import type { Route, RouteContext } from './route.ts';

/** Heap snapshots of a running process. They contain all data of the process, so only its owner may ask. */
export const snapshotRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/api/snapshot',
    summary: 'The cost of a heap snapshot now, and the progress of the newest one',
    access: 'decide',
    ofProcess: true,
    answer: 'SnapshotAnswer',
    handle: async (context): Promise<SnapshotAnswer> => (await ownSource(context)).snapshot(),
  },
  {
    method: 'post',
    path: '/api/snapshot/take',
    summary: 'Take a heap snapshot; answers at once',
    access: 'decide',
    ofProcess: true,
    answer: 'SnapshotAnswer',
    handle: async (context): Promise<SnapshotAnswer> => (await ownSource(context)).takeSnapshot(),
  },
  {
    method: 'get',
    path: '/api/snapshot/file',
    summary: 'The newest heap snapshot that was asked for',
    access: 'decide',
    ofProcess: true,
    answer: 'application/octet-stream',
    handle: sendFile,
  },
];

function ownSource({ source, caller }: RouteContext): ReturnType<RouteContext['source']> {
  if (caller?.isOwner !== true) throw failure('PLM_SERVER_OWNER_ONLY', { what: 'a heap snapshot' });
  return source();
}

async function sendFile(context: RouteContext): Promise<typeof streams> {
  const { incoming, outgoing } = context.node;
  const found = await ownSource(context);
  if (incoming.method !== 'GET')
    throw failure('PLM_SERVER_WRONG_METHOD', { path: '/api/snapshot/file', allowed: 'GET' });
  const { job } = await found.snapshot();
  if (job?.file == null) throw failure('PLM_SERVER_NO_SNAPSHOT', { pid: found.process.pid ?? 0 });
  const handle = await open(job.file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  const stat = await handle?.stat();
  if (handle === undefined || stat?.isFile() !== true) {
    await handle?.close();
    throw failure('PLM_SERVER_NO_SNAPSHOT', { pid: found.process.pid ?? 0 });
  }
  outgoing.writeHead(200, {
    ...Object.fromEntries(
      Object.entries(outgoing.getHeaders()).map(([name, value]) => [name, String(value)]),
    ),
    'content-type': 'application/octet-stream',
    'content-length': stat.size,
  });
  // The error of a client that disconnects is ignored.
  void pipeline(handle.createReadStream(), outgoing).catch(() => undefined);
  return streams;
}
