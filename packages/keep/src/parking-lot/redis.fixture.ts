import { createRequire } from 'node:module';

/** The part of fengari (a Lua machine in JavaScript) that is used here; it ships no types. */
interface Fengari {
  readonly lua: {
    readonly LUA_OK: number;
    lua_pushboolean(state: object, value: boolean): void;
    lua_pushnumber(state: object, value: number): void;
    lua_pushstring(state: object, value: Uint8Array): void;
    lua_pushcfunction(state: object, value: () => number): void;
    lua_newtable(state: object): void;
    lua_rawseti(state: object, index: number, at: number): void;
    lua_rawgeti(state: object, index: number, at: number): void;
    lua_rawlen(state: object, index: number): number;
    lua_setfield(state: object, index: number, name: Uint8Array): void;
    lua_setglobal(state: object, name: Uint8Array): void;
    lua_tostring(state: object, index: number): Uint8Array;
    lua_tonumber(state: object, index: number): number;
    lua_type(state: object, index: number): number;
    lua_gettop(state: object): number;
    lua_settop(state: object, top: number): void;
    lua_pcall(state: object, args: number, results: number, handler: number): number;
  };
  readonly lauxlib: { luaL_newstate(): object; luaL_loadstring(state: object, text: Uint8Array): number };
  readonly lualib: { luaL_openlibs(state: object): void };
  readonly to_luastring: (text: string) => Uint8Array;
}

type Reply = number | Buffer | null | readonly Reply[];
type Key = string;

/**
 * The commands of Redis that the scripts of RedisLot use, with the scripts run by a Lua machine. Its clock is the test's. The same tests
 * run against a real server where one is found (see shared-lot.test.ts and `npm run bench -- lots`).
 */
export class ScriptedRedis {
  /** Ms since the epoch, as TIME says. */
  now = 1_800_000_000_000;
  /** Thrown by the next commands when set. */
  failing: Error | undefined;
  readonly #hashes = new Map<Key, Map<string, Buffer>>();
  readonly #texts = new Map<Key, string>();
  readonly #orders = new Map<Key, Map<string, number>>();
  readonly #expiries = new Map<Key, number>();

  callBuffer(command: string, ...args: (string | Buffer)[]): Promise<unknown> {
    if (this.failing !== undefined) return Promise.reject(this.failing);
    if (command !== 'EVAL') return Promise.reject(new Error(`ERR unknown command ${command}`));
    const [script, count, ...rest] = args;
    const keys = rest.slice(0, Number(count));
    try {
      return Promise.resolve(
        runLua(String(script), keys, rest.slice(Number(count)), (call) => this.#call(call)),
      );
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  #call([name, key, ...args]: Buffer[]): Reply {
    const at = String(key);
    if ((this.#expiries.get(at) ?? Number.POSITIVE_INFINITY) <= this.now) this.#drop(at);
    const texts = args.map(String);
    const [first = '', second = ''] = texts;
    const hash = this.#hashes.get(at);
    const order = this.#orders.get(at);
    switch (String(name)) {
      case 'TIME':
        return [
          Buffer.from(String(Math.floor(this.now / 1000))),
          Buffer.from(String((this.now % 1000) * 1000)),
        ];
      case 'HGET':
        return hash?.get(first) ?? null;
      case 'HEXISTS':
        return hash?.has(first) === true ? 1 : 0;
      case 'HSET': {
        const fields = hash ?? new Map<string, Buffer>();
        this.#hashes.set(at, fields);
        for (let i = 0; i < args.length; i += 2) fields.set(texts[i] as string, args[i + 1] as Buffer);
        return args.length / 2;
      }
      case 'HDEL': {
        const gone = texts.filter((field) => hash?.delete(field)).length;
        if (hash?.size === 0) this.#drop(at);
        return gone;
      }
      case 'DEL':
        return this.#drop(at) ? 1 : 0;
      case 'EXISTS':
        return this.#hashes.has(at) ? 1 : 0;
      case 'PEXPIRE':
        this.#expiries.set(at, this.now + Number(first));
        return 1;
      case 'GET':
        return this.#texts.has(at) ? Buffer.from(this.#texts.get(at) as string) : null;
      case 'SET':
        this.#texts.set(at, first);
        return Buffer.from('OK');
      case 'INCRBY':
      case 'DECRBY': {
        const sign = String(name) === 'INCRBY' ? 1 : -1;
        const sum = Number(this.#texts.get(at) ?? 0) + sign * Number(first);
        this.#texts.set(at, String(sum));
        return sum;
      }
      case 'ZADD':
        this.#orders.set(at, (order ?? new Map<string, number>()).set(second, Number(first)));
        return 1;
      case 'ZREM':
        return order?.delete(first) === true ? 1 : 0;
      case 'ZCARD':
        return order?.size ?? 0;
      case 'ZRANGE':
        return [...(order ?? [])]
          .sort((a, b) => a[1] - b[1])
          .slice(Number(first), Number(second) + 1)
          .map(([member]) => Buffer.from(member));
      default:
        throw new Error(`ERR unknown command ${String(name)}`);
    }
  }

  #drop(key: Key): boolean {
    this.#expiries.delete(key);
    return this.#hashes.delete(key);
  }
}

function runLua(
  script: string,
  keys: readonly (string | Buffer)[],
  values: readonly (string | Buffer)[],
  call: (args: Buffer[]) => Reply,
): unknown {
  const { lua, lauxlib, lualib, to_luastring: text } = createRequire(import.meta.url)('fengari') as Fengari;
  const state = lauxlib.luaL_newstate();
  lualib.luaL_openlibs(state);
  const push = (value: Reply | string): void => {
    if (value === null) lua.lua_pushboolean(state, false);
    else if (typeof value === 'number') lua.lua_pushnumber(state, value);
    else if (typeof value === 'string') lua.lua_pushstring(state, text(value));
    else if (Buffer.isBuffer(value)) lua.lua_pushstring(state, Uint8Array.from(value));
    else pushList(value as readonly Reply[]);
  };
  const pushList = (list: readonly (Reply | string)[]): void => {
    lua.lua_newtable(state);
    for (const [i, value] of list.entries()) {
      push(value);
      lua.lua_rawseti(state, -2, i + 1);
    }
  };
  const bytesAt = (index: number): Buffer => Buffer.from(lua.lua_tostring(state, index));
  lua.lua_newtable(state);
  lua.lua_pushcfunction(state, () => {
    push(call(Array.from({ length: lua.lua_gettop(state) }, (_, i) => bytesAt(i + 1))));
    return 1;
  });
  lua.lua_setfield(state, -2, text('call'));
  lua.lua_setglobal(state, text('redis'));
  pushList(keys);
  lua.lua_setglobal(state, text('KEYS'));
  pushList(values);
  lua.lua_setglobal(state, text('ARGV'));
  const failed =
    lauxlib.luaL_loadstring(state, text(script)) !== lua.LUA_OK ||
    lua.lua_pcall(state, 0, 1, 0) !== lua.LUA_OK;
  if (failed) throw new Error(String(bytesAt(-1)));
  const reply: unknown[] = [];
  for (let i = 1; i <= Math.max(lua.lua_rawlen(state, -1), 3); i++) {
    lua.lua_rawgeti(state, -1, i);
    const type = lua.lua_type(state, -1);
    // 3 is a number, 4 a string; Redis cuts numbers to integers, and false is a null reply.
    if (type === 3) reply.push(Math.trunc(lua.lua_tonumber(state, -1)));
    else if (type === 4) reply.push(bytesAt(-1));
    else if (type === 1) reply.push(null);
    lua.lua_settop(state, -2);
  }
  return reply;
}
