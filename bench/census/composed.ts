/**
 * Sessions composed at random: `npm run bench -- census composed SEED` makes ten kinds of them by one seed, `census sorts` one kind for each
 * sort of value. Rules were made with a look at seeds below 100; seeds from 100 on judge them.
 */
import { EventEmitter } from 'node:events';
import { runInThisContext } from 'node:vm';
import { exotics } from './exotic-sorts.ts';
import { between, Draw, leaves, structures, texts, word, words } from './sorts.ts';
import type { Life, Make } from './sorts.ts';
import { random } from './sessions.ts';
import type { MakeSession, Turning } from './sessions.ts';

/** A part of a session that goes on from turn to turn. */
interface Part {
  readonly held: unknown;
  turn(): void;
}

type MakePart = (life: Life) => Part;

/** Ways in which sessions collect values. `make` makes one. */
const collections: Readonly<Record<string, (draw: Draw, make: Make) => MakePart>> = {
  list: (draw, make) => {
    const most = 2 ** draw.between(3, 8);
    return (life) => {
      const held: unknown[] = [];
      const turn = (): void => {
        held.push(make(life));
        if (held.length > most) held.shift();
      };
      return { held, turn };
    };
  },
  window: (draw, make) => {
    const most = draw.between(10, 120);
    return (life) => {
      const held: unknown[] = [];
      const turn = (): void => {
        held.push(make(life));
        if (held.length > most) held.splice(0, most >> 1);
      };
      return { held, turn };
    };
  },
  replaced: (draw, make) => {
    const most = draw.between(10, 80);
    return (life) => {
      const held = { list: [] as unknown[] };
      const turn = (): void => {
        held.list = [...held.list, make(life)].slice(-most);
      };
      return { held, turn };
    };
  },
  byId: (draw, make) => {
    const id = draw.pick([texts['uuid'], texts['prefixed'], texts['hex'], leaves['small']])?.(draw) as Make;
    const most = 2 ** draw.between(3, 8);
    return (life) => {
      const held = new Map<unknown, unknown>();
      const turn = (): void => {
        held.set(id(life), make(life));
        if (held.size > most) held.delete(held.keys().next().value);
      };
      return { held, turn };
    };
  },
  withId: (draw, make) => {
    const id = draw.pick([texts['uuid'], texts['prefixed']])?.(draw) as Make;
    return (life) => {
      const held = new Map<unknown, object>();
      const turn = (): void => {
        const key = id(life);
        held.set(key, { id: key, value: make(life), at: Date.now() });
        if (held.size > 150) held.delete(held.keys().next().value);
      };
      return { held, turn };
    };
  },
  grouped: (draw, make) => {
    const groups = draw.between(2, 30);
    return (life) => {
      const held = new Map<string, unknown[]>();
      const turn = (): void => {
        const name = `group ${between(life.next, 1, groups)}`;
        const list = held.get(name);
        if (list === undefined) held.set(name, [make(life)]);
        else if (list.push(make(life)) > 20) list.shift();
      };
      return { held, turn };
    };
  },
  nested: (_draw, make) => (life) => {
    const held = new Map<string, Map<number, unknown>>();
    const turn = (): void => {
      const name = word(life.next);
      let inner = held.get(name);
      if (inner === undefined) held.set(name, (inner = new Map()));
      inner.set(between(life.next, 0, 30), make(life));
    };
    return { held, turn };
  },
  unique: (draw) => {
    const make = draw.leaf();
    return (life) => {
      const held = new Set<unknown>();
      const turn = (): void => {
        held.add(make(life));
        if (held.size > 200) held.delete(held.values().next().value);
      };
      return { held, turn };
    };
  },
  index: (draw, make) => {
    const id = draw.pick([texts['uuid'], texts['prefixed'], texts['numeric']])?.(draw) as Make;
    const isBare = draw.chance(0.3);
    return (life) => {
      const held = (isBare ? Object.create(null) : {}) as Record<string, unknown>;
      const turn = (): void => {
        held[id(life) as string] = make(life);
        const keys = Object.keys(held);
        if (keys.length > 150) Reflect.deleteProperty(held, keys[0] as string);
      };
      return { held, turn };
    };
  },
  linked: (_draw, make) => (life) => {
    const held: { last: unknown; count: number } = { last: null, count: 0 };
    const turn = (): void => {
      held.last = { value: make(life), previous: held.count++ % 60 === 0 ? null : held.last };
    };
    return { held, turn };
  },
  tree: (_draw, make) => (life) => {
    interface TreeNode {
      readonly value: unknown;
      readonly children: TreeNode[];
      readonly parent: TreeNode | undefined;
    }
    const held: TreeNode = { value: make(life), children: [], parent: undefined };
    const all = [held];
    const turn = (): void => {
      const parent = all[between(life.next, 0, all.length - 1)] as TreeNode;
      const node = { value: make(life), children: [], parent };
      parent.children.push(node);
      all.push(node);
    };
    return { held, turn };
  },
  transcript: () => (life) => {
    const held = { text: '' };
    const turn = (): void => {
      held.text += `${words(life.next, between(life.next, 1, 20))}\n`;
      if (held.text.length > 20_000) held.text = held.text.slice(-10_000);
    };
    return { held, turn };
  },
  fields: (draw, make) => {
    const names = draw.names(3, 12);
    return (life) => {
      const held: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, make(life)]));
      const turn = (): void => {
        held[names[between(life.next, 0, names.length - 1)] as string] = make(life);
      };
      return { held, turn };
    };
  },
  heard: (_draw, make) => (life) => {
    const held = new EventEmitter();
    held.setMaxListeners(0);
    const turn = (): void => {
      const value = make(life);
      held.on('update', () => void value);
      if (held.listenerCount('update') > 40) held.removeAllListeners('update');
    };
    return { held, turn };
  },
};

/** Roots of sessions: `n` are the names of the parts, `p` their values, `t` takes a turn. */
const rootForms: Readonly<Record<string, (names: readonly string[]) => string>> = {
  literal: (names) => `(p, t) => ({ ${names.map((name, i) => `${name}: p[${i}]`).join(', ')}, turn: t })`,
  instance: (names) =>
    `(() => { class Root { constructor(p, t) { ${names.map((name, i) => `this.${name} = p[${i}];`).join(' ')} this.take = t; } turn() { this.take(); } } return (p, t) => new Root(p, t); })()`,
  private: (names) =>
    `(() => { class Root { ${names.map((name) => `#${name};`).join(' ')} #t; constructor(p, t) { ${names.map((name, i) => `this.#${name} = p[${i}];`).join(' ')} this.#t = t; } turn() { this.#t(); } peek() { return [${names.map((name) => `this.#${name}`).join(', ')}]; } } return (p, t) => new Root(p, t); })()`,
  derived: (names) =>
    `(() => { class Base { #t; constructor(t) { this.#t = t; this.opened = new Date(); } turn() { this.#t(); } } class Root extends Base { constructor(p, t) { super(t); ${names.map((name, i) => `this.${name} = p[${i}];`).join(' ')} } } return (p, t) => new Root(p, t); })()`,
};

function kindOf(
  draw: Draw,
  makeParts: readonly MakePart[],
  names: readonly string[],
  mostTurns: number,
): MakeSession {
  const form = rootForms[draw.pick(Object.keys(rootForms))] as (names: readonly string[]) => string;
  const make = runInThisContext(form(names)) as (parts: readonly unknown[], turn: () => void) => Turning;
  const seed = draw.between(1, 1e9);
  return (index) => {
    const next = random(seed + Math.imul(index, 7919));
    const life: Life = { next, recent: [] };
    const parts = makeParts.map((each) => each(life));
    const session = make(
      parts.map(({ held }) => held),
      () => parts[between(next, 0, parts.length - 1)]?.turn(),
    );
    // Most sessions are short and a few are long.
    for (let i = Math.ceil(mostTurns ** (0.4 + 0.6 * next())); i > 0; i--) session.turn();
    return session;
  };
}

/** Remembers some of what it makes, so that the session can refer to it twice. */
const remembered =
  (make: Make): Make =>
  (life) => {
    const value = make(life);
    if (typeof value === 'object' && value !== null && life.next() < 0.3) {
      life.recent.push(value);
      if (life.recent.length > 4) life.recent.shift();
    }
    return value;
  };

/** Ten kinds by one seed. */
export function composed(seed: number): Readonly<Record<string, MakeSession>> {
  const draw = new Draw(seed, Object.values(exotics));
  return Object.fromEntries(
    Array.from({ length: 10 }, (_, i) => {
      const names = draw.names(2, 6);
      const parts = names.map(() => {
        const collect = draw.pick(Object.values(collections));
        return collect(draw, remembered(draw.value(3)));
      });
      return [`kind ${'abcdefghij'.charAt(i)}`, kindOf(draw, parts, names, 2 ** draw.between(3, 8))];
    }),
  );
}

/** Draws small numbers for whatever lies in a value, so that only the sort itself is judged. */
class PlainDraw extends Draw {
  override leaf(): Make {
    return ({ next }) => between(next, 0, 5000);
  }

  override value(): Make {
    return this.leaf();
  }
}

/** One kind for each sort, in lists. */
export function eachSort(seed: number): Readonly<Record<string, MakeSession>> {
  const draw = new PlainDraw(seed);
  const sorts = Object.entries({ ...leaves, ...texts, ...structures, ...exotics }).map(
    ([name, sort]): [string, MakeSession] => {
      const make = sort(draw, 0);
      const list = collections['replaced']?.(draw, make) as MakePart;
      return [`sort ${name}`, kindOf(draw, [list], ['values'], 128)];
    },
  );
  const ways = Object.entries(collections).map(([name, collect]): [string, MakeSession] => [
    `way ${name}`,
    kindOf(draw, [collect(draw, draw.leaf())], ['values'], 128),
  ]);
  return Object.fromEntries([...sorts, ...ways]);
}
