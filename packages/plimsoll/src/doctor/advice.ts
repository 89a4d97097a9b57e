import { formatByteSize, formatUsedOfLimit } from '@plimsoll/core/units';
import type { Diagnosis } from './diagnosis.ts';

type Facts = Omit<Diagnosis, 'advice'>;

const MiB = 1024 ** 2;
/** Memory of Node.js itself outside of V8's heap. */
const ownNativeBytes = 64 * MiB;

/** Each rule checks one fact and returns advice or nothing. */
const rules: readonly ((facts: Facts) => string | undefined)[] = [
  ({ findings }) => {
    const grave = findings.filter(({ severity }) => severity !== 'info' && severity !== 'low');
    if (grave.length === 0) return undefined;
    const cures = grave.flatMap(({ knownLeak }) =>
      knownLeak === undefined ? [] : [`${knownLeak.name}: ${knownLeak.cure}`],
    );
    return cures.length > 0
      ? cures.join(' ')
      : `${grave.length} confirmed ${grave.length === 1 ? 'leak' : 'leaks'}: read the trace with "plimsoll run --report" or "plimsoll top", then remove what holds it.`;
  },
  ({ policy }) =>
    policy?.fault == null
      ? undefined
      : 'the policy file is refused and the earlier policy stays in force: run "plimsoll check" on it and correct the faults.',
  ({ policy }) =>
    policy?.givenUp == null
      ? undefined
      : 'the policy was given up: "plimsoll rollback --state" says why, "plimsoll rollback --undo" takes it back.',
  ({ level, limits }) => {
    const [nearest] = limits;
    if (nearest === undefined || nearest.bytes <= 0) return undefined;
    const isHigh = (level !== null && level !== 'normal') || nearest.usedBytes > 0.8 * nearest.bytes;
    return isHigh
      ? `${nearest.source} is at ${formatUsedOfLimit(nearest.usedBytes, nearest.bytes)}: shed work or raise that limit before it is reached.`
      : undefined;
  },
  ({ limits }) => {
    const heap = limits.find(({ source }) => source.startsWith('v8'));
    const container = limits.find(({ source }) => source.startsWith('cgroup'));
    return heap !== undefined && container !== undefined && heap.bytes > container.bytes
      ? `V8 may take ${formatByteSize(heap.bytes)} but the container ends the process at ${formatByteSize(container.bytes)}: set --max-old-space-size to about ${Math.floor((0.75 * container.bytes) / MiB)}.`
      : undefined;
  },
  ({ sizes }) =>
    sizes.length === 0
      ? undefined
      : sizes.map(({ flag, mib, nowMib, why }) => `set ${flag}=${mib} (now ${nowMib}): ${why}.`).join(' '),
  ({ growth }) => {
    const growing = Object.entries(growth ?? {}).filter(([, { shape }]) => shape === 'growing');
    return growing.length === 0
      ? undefined
      : `${growing.map(([channel, { bytes }]) => `${channel} grew by ${formatByteSize(bytes)}`).join(', ')} and does not slow down: plimsoll attach PID --pair names the holder.`;
  },
  ({ memory }) =>
    memory.slack > 64 * MiB && memory.slack > memory.heap
      ? `V8 keeps ${formatByteSize(memory.slack)} of pages it does not use: one last-resort GC (action release-rss) gives them back; it is no leak.`
      : undefined,
  ({ memory }) =>
    memory.native - ownNativeBytes > 0.4 * memory.rss && memory.native > 256 * MiB
      ? `${formatByteSize(memory.native)} lie outside of V8: a native addon, or malloc that keeps freed pages (try jemalloc, or MALLOC_MMAP_THRESHOLD_=16384); no GC helps.`
      : undefined,
  ({ memory }) =>
    memory.arrayBuffers > Math.max(64 * MiB, memory.heap)
      ? `ArrayBuffers hold ${formatByteSize(memory.arrayBuffers)}, more than the heap: look for kept Buffers; small pooled ones pin 64 KiB each.`
      : undefined,
  ({ memory }) =>
    memory.code > Math.max(32 * MiB, 0.25 * memory.heap)
      ? `compiled code takes ${formatByteSize(memory.code)}: code is generated over and over (new Function, validators, templates compiled per request).`
      : undefined,
  ({ detachedContexts }) =>
    detachedContexts > 0
      ? `${detachedContexts} detached vm contexts are alive: something holds an object of a closed sandbox.`
      : undefined,
  ({ scopes, floor }) =>
    scopes?.unattributedBytes != null &&
    floor !== null &&
    scopes.kinds.length > 0 &&
    scopes.unattributedBytes > 0.5 * floor.bytes &&
    floor.bytes > 64 * MiB
      ? `${formatByteSize(scopes.unattributedBytes)} of live heap and external memory belong to no scope: register what sessions hold (scope.root), or take a snapshot (plimsoll attach PID --snapshot).`
      : undefined,
  ({ resources }) => {
    const [kind, count] = Object.entries(resources ?? {}).sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
    return count > 5000
      ? `${count.toLocaleString('en-US')} open handles of kind ${kind}: they are not closed or cleared when work ends.`
      : undefined;
  },
  ({ node }) => {
    const major = Number(/^v(\d+)/.exec(node)?.[1] ?? 0);
    return major > 0 && major < 22
      ? `${node} is out of support: some leaks of the runtime are cured in newer ones.`
      : undefined;
  },
];

/** The advice, most important first. Without any, one line says so. */
export function adviceFor(facts: Facts): readonly string[] {
  const found = rules.map((rule) => rule(facts)).filter((line) => line !== undefined);
  if (found.length > 0) return found;
  return [
    facts.by === 'inspector'
      ? 'nothing stands out in one look; growth shows over time only: plimsoll attach PID --for 60s --pair.'
      : 'nothing to do.',
  ];
}
