/** A store of events as the SDK's examples write it; a store elsewhere, in a database, has no such map. */
interface MemoryStore {
  readonly events: Map<string, unknown>;
  storeEvent(...args: readonly unknown[]): Promise<unknown>;
}

const bounded = new WeakSet<object>();

/**
 * Bounds the event store of a transport when it is a map in memory. The store of the SDK's examples, which programs copy, keeps every message
 * of every stream for ever. The oldest events go first; a client that asks for one of those gets what a store without it answers.
 */
export function boundEvents(transport: unknown, most: () => number | undefined): void {
  const store = storeOf(transport);
  if (store === undefined || bounded.has(store)) return;
  bounded.add(store);
  const original = store.storeEvent.bind(store);
  store.storeEvent = async (...args) => {
    const id = await original(...args);
    const bound = most() ?? Infinity;
    for (const oldest of store.events.keys()) {
      if (store.events.size <= bound) break;
      store.events.delete(oldest);
    }
    return id;
  };
}

function storeOf(transport: unknown): MemoryStore | undefined {
  interface Inner {
    readonly _eventStore?: Partial<MemoryStore>;
  }
  const { _eventStore, _webStandardTransport } = transport as Inner & { _webStandardTransport?: Inner };
  const store = _eventStore ?? _webStandardTransport?._eventStore;
  const isMemory = store?.events instanceof Map && typeof store.storeEvent === 'function';
  return isMemory ? (store as MemoryStore) : undefined;
}
