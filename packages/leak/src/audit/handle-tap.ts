import { createHook } from 'node:async_hooks';
import { HandleAttachment } from './attachment.ts';
import type { AttachmentLedger } from './attachment-ledger.ts';

/** Resources that stay open until they are closed, by their names in async_hooks. */
const names: Readonly<Record<string, string>> = {
  TCPWRAP: 'TCP socket',
  TCPSERVERWRAP: 'TCP server',
  PIPEWRAP: 'pipe',
  PIPESERVERWRAP: 'pipe server',
  UDPWRAP: 'UDP socket',
  FSEVENTWRAP: 'file watcher',
  STATWATCHER: 'file watcher',
  FILEHANDLE: 'file handle',
  PROCESSWRAP: 'child process',
  WORKER: 'worker thread',
  MESSAGEPORT: 'message port',
  HTTP2SESSION: 'HTTP/2 session',
};

/**
 * Follows sockets, servers, watchers, file handles, children and workers from their opening. Returns the function that removes the tap.
 *
 * Promises are left out where the runtime supports it (Node 24.12 and later), because they make async_hooks slow.
 */
export function tapHandles(ledger: AttachmentLedger): () => void {
  const open = new Map<number, HandleAttachment>();
  const hook = createHook({
    init(id, type) {
      const name = names[type];
      if (name === undefined || !ledger.admit()) return;
      const attachment = new HandleAttachment(name);
      if (ledger.add(attachment)) open.set(id, attachment);
    },
    destroy(id) {
      const attachment = open.get(id);
      if (attachment === undefined) return;
      attachment.closed();
      open.delete(id);
    },
    trackPromises: false,
  } as Parameters<typeof createHook>[0]);
  hook.enable();
  return () => {
    hook.disable();
    open.clear();
  };
}
