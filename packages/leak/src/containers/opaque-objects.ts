/** Objects that a walk does not look into: what is Node.js's own, and what shows nothing of what it holds. */
import { builtinModules } from 'node:module';
import { types } from 'node:util';
import { slots } from '@plimsoll/core/internal/slots';
import { classOf } from './container-name.ts';

/** Classes of Node.js whose objects lead to its own structures, and those that it does not export. */
const exported = new Set([
  'Socket',
  'TLSSocket',
  'Server',
  'IncomingMessage',
  'ServerResponse',
  'Agent',
  'AsyncLocalStorage',
  'Console',
]);
const unexported = new Set(['HTTPParser', 'Timeout', 'Immediate', 'process']);

/** What Node.js exports and what is global: its functions lead to its own structures. Nothing is loaded for it. */
export function* builtIns(): Generator<object> {
  const { moduleLoadList = [] } = process as { readonly moduleLoadList?: readonly string[] };
  const loaded = new Set(moduleLoadList.map((each) => each.replace(/^NativeModule /, '')));
  const exported = builtinModules
    .filter((id) => loaded.has(id))
    .map((id) => process.getBuiltinModule(id) as object);
  for (const holder of [globalThis, ...exported]) {
    if (holder !== globalThis) yield holder;
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(holder)))
      if (typeof value === 'function') yield value as object;
  }
}

/**
 * What Plimsoll keeps of scopes that have closed: it gains a row per name, up to a bound, and is no container of the program. Only scripts
 * that allocate much are known to be Plimsoll's, so that a walk may enter a function beside it.
 */
export function ownContainers(): readonly object[] {
  const totals = slots().scopes?.roster.closedTotals();
  return totals === undefined ? [] : [totals];
}

/** `isNodes` tells the classes that Node.js exports: a program has an `Agent` of its own. */
export function isOpaque(value: object, isNodes: (maker: object) => boolean): boolean {
  return (
    ArrayBuffer.isView(value) ||
    types.isAnyArrayBuffer(value) ||
    types.isWeakSet(value) ||
    types.isDate(value) ||
    types.isRegExp(value) ||
    isOfNode(value, isNodes)
  );
}

function isOfNode(value: object, isNodes: (maker: object) => boolean): boolean {
  const name = classOf(value);
  if (!exported.has(name)) return unexported.has(name);
  const maker = Reflect.getOwnPropertyDescriptor(Object.getPrototypeOf(value) as object, 'constructor');
  return typeof maker?.value === 'function' && isNodes(maker.value as object);
}
