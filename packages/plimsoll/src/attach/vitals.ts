/** Memory figures of an ungoverned process, read through the inspector. All sizes in bytes. */
export interface AttachedVitals {
  readonly at: number;
  readonly node: string;
  readonly uptimeMs: number;
  readonly rss: number;
  readonly heapUsed: number;
  readonly heapTotal: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly heapLimit: number;
  readonly mallocedBytes: number;
  /** 0 when no container limits it. */
  readonly constrained: number;
  readonly availableBytes: number;
  readonly spaces: readonly {
    readonly name: string;
    readonly used: number;
    readonly committed: number;
    readonly physical: number;
  }[];
  readonly contexts: { readonly native: number; readonly detached: number };
  readonly cpuMs: number;
  /** Open handles by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Evaluated inside the target. It only reads; it keeps and adds nothing. */
export const vitalsExpression = `(() => {
  const load = process.getBuiltinModule ?? require;
  const v8 = load('node:v8');
  const m = process.memoryUsage(), h = v8.getHeapStatistics(), u = process.cpuUsage();
  const resources = {};
  for (const kind of process.getActiveResourcesInfo?.() ?? []) resources[kind] = (resources[kind] ?? 0) + 1;
  return JSON.stringify({
    at: Date.now(), node: process.version, uptimeMs: Math.round(process.uptime() * 1000),
    rss: m.rss, heapUsed: m.heapUsed, heapTotal: m.heapTotal, external: m.external, arrayBuffers: m.arrayBuffers,
    heapLimit: h.heap_size_limit, mallocedBytes: h.malloced_memory,
    constrained: Math.min(process.constrainedMemory?.() ?? 0, 2 ** 60) % 2 ** 60,
    availableBytes: process.availableMemory?.() ?? 0,
    spaces: v8.getHeapSpaceStatistics().map((s) => ({ name: s.space_name, used: s.space_used_size, committed: s.space_size, physical: s.physical_space_size })),
    contexts: { native: h.number_of_native_contexts, detached: h.number_of_detached_contexts },
    cpuMs: Math.round((u.user + u.system) / 1000), resources,
  });
})()`;
