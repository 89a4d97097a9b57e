/**
 * Functions of the program as live objects. Some frameworks keep the program's handlers where no walk from a server gets, such as behind
 * the `this` of an arrow function, and a worker of a queue has no server. Such a function reaches the variables of its module.
 */
import { types } from 'node:util';
import type { ScriptOrigins } from '../sites/script-origins.ts';
import type { FunctionScopes } from './function-scopes.ts';

/** Most functions of the given names that are opened to read their script. Each takes 0.1 ms. */
const mostOpened = 200;
const mostFound = 16;

/** One function with one of these names per script of the program. */
export function functionsOfProgram(
  scopes: FunctionScopes,
  names: ReadonlySet<string>,
  scripts: ScriptOrigins,
): readonly object[] {
  const found = new Map<string, object>();
  const named = Iterator.from(scopes.functions()).filter((each) => isNamed(each, names));
  for (const each of named.take(mostOpened)) {
    const script = scopes.openedOf(each)?.scriptId;
    if (script === undefined || found.has(script) || scripts.of(script) !== 'program') continue;
    found.set(script, each);
    if (found.size >= mostFound) break;
  }
  return [...found.values()];
}

/** Reads the property itself, so that no getter and no trap of the program runs. */
function isNamed(value: unknown, names: ReadonlySet<string>): value is object {
  if (typeof value !== 'function' || types.isProxy(value)) return false;
  const name: unknown = Reflect.getOwnPropertyDescriptor(value, 'name')?.value;
  return typeof name === 'string' && names.has(name);
}
