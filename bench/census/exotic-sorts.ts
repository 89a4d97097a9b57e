/** The other sorts of values that sessions are composed of: objects whose insides JavaScript does not show, and those of Node.js. */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { between, sharedTools, word, words } from './sorts.ts';
import type { Sort } from './sorts.ts';

export const exotics: Readonly<Record<string, Sort>> = {
  regexp:
    () =>
    ({ next }) =>
      new RegExp(`^${word(next)}[0-9]+$`, 'i'),
  error:
    () =>
    ({ next }) =>
      new TypeError(`cannot read ${word(next)}`, next() < 0.3 ? { cause: new Error(word(next)) } : {}),
  readError:
    () =>
    ({ next }) => {
      const error = new Error(words(next, 4));
      return { message: error.message, stack: error.stack, error };
    },
  url:
    () =>
    ({ next }) =>
      new URL(`https://${word(next)}.example.com/${word(next)}?page=${between(next, 1, 99)}`),
  params:
    () =>
    ({ next }) =>
      new URLSearchParams({ q: word(next), page: String(between(next, 1, 99)) }),
  headers:
    () =>
    ({ next }) =>
      new Headers({ accept: 'text/html', 'x-id': word(next), etag: randomUUID() }),
  request:
    () =>
    ({ next }) =>
      new Request(`https://example.com/${word(next)}`, { headers: { 'x-id': word(next) } }),
  response:
    () =>
    ({ next }) =>
      new Response(words(next, 20), { status: 200, headers: { 'x-id': word(next) } }),
  abort: (draw) => {
    const inner = draw.leaf();
    return (life) => {
      const controller = new AbortController();
      const held = inner(life);
      controller.signal.addEventListener('abort', () => void held);
      return controller;
    };
  },
  eventTarget: (draw) => {
    const inner = draw.leaf();
    return (life) => {
      const target = new EventTarget();
      const held = inner(life);
      target.addEventListener('change', () => void held);
      return target;
    };
  },
  emitter: (draw) => {
    const inner = draw.leaf();
    const most = draw.between(1, 4);
    return (life) => {
      const emitter = new EventEmitter();
      for (let i = between(life.next, 1, most); i > 0; i--) {
        const held = inner(life);
        emitter.on(i % 2 === 0 ? 'data' : 'end', () => void held);
      }
      return emitter;
    };
  },
  resolved: (draw, depth) => {
    const inner = draw.value(depth);
    return (life) => Promise.resolve({ value: inner(life) });
  },
  waiting: (draw, depth) => {
    const inner = draw.value(depth);
    return (life) => {
      const held = inner(life);
      const { promise, resolve } = Promise.withResolvers<unknown>();
      return { promise: promise.then((value) => [value, held]), resolve };
    };
  },
  asyncCall: (draw, depth) => {
    const inner = draw.value(depth);
    return (life) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const run = async (): Promise<unknown> => {
        const held = inner(life);
        const got = await promise;
        return [held, got];
      };
      return { done: run(), resolve };
    };
  },
  generator: (draw, depth) => {
    const inner = draw.value(depth);
    return (life) => {
      function* steps(held: unknown): Generator<unknown, void> {
        const list = [held, 1];
        for (const each of list) yield each;
      }
      const machine = steps(inner(life));
      if (life.next() < 0.7) machine.next();
      return machine;
    };
  },
  asyncGenerator: (draw) => {
    const inner = draw.leaf();
    return (life) => {
      const held = inner(life);
      async function* read(): AsyncGenerator {
        yield held;
        yield held;
      }
      const reader = read();
      void reader.next();
      return reader;
    };
  },
  iterator: (draw, depth) => {
    const inner = draw.value(depth);
    return (life) => [inner(life), inner(life)].values();
  },
  timer: (draw) => {
    const inner = draw.leaf();
    return (life) => {
      const held = inner(life);
      return setTimeout(() => void held, 3_600_000 + between(life.next, 0, 5) * 1000).unref();
    };
  },
  proxy: (draw, depth) => {
    const inner = draw.value(depth);
    return (life) => new Proxy({ held: inner(life) }, {});
  },
  weakMap: (draw, depth) => {
    const inner = draw.value(depth);
    const most = draw.between(1, 12);
    return (life) => {
      const keys = Array.from({ length: between(life.next, 1, most) }, (_, i) => ({ key: i }));
      return { keys, side: new WeakMap(keys.map((key) => [key, { held: inner(life) }])) };
    };
  },
  weakRef:
    () =>
    ({ recent }) =>
      new WeakRef((recent.at(-1) ?? sharedTools) as object),
  registry:
    () =>
    ({ next }) => {
      const registry = new FinalizationRegistry(() => undefined);
      const token = { name: word(next) };
      registry.register(token, 'gone');
      return { registry, token };
    },
  stream:
    () =>
    ({ next }) => {
      const stream = new PassThrough();
      stream.write(words(next, 20));
      return stream;
    },
  webStream:
    () =>
    ({ next }) => {
      const text = words(next, 12);
      return new ReadableStream({ start: (controller) => controller.enqueue(text) });
    },
  decoder: () => () => new TextDecoder(),
  buffer: (draw) => {
    const most = 2 ** draw.between(4, 14);
    return ({ next }) => Buffer.alloc(between(next, 16, most), 1);
  },
  pooled: (draw) => {
    const most = draw.between(3, 300);
    return ({ next }) => Buffer.from(words(next, between(next, 2, most)));
  },
  typed: (draw) => {
    const length = draw.between(1, 800);
    const Kind = draw.pick([Float32Array, Float64Array, Uint8Array, Int32Array]);
    return () => new Kind(length);
  },
  views: (draw) => {
    const bytes = draw.between(64, 4096);
    return () => {
      const buffer = new ArrayBuffer(bytes);
      return { head: new Uint8Array(buffer, 0, 16), all: new DataView(buffer) };
    };
  },
  boxed:
    () =>
    ({ next }) =>
      [Object(next()), Object(word(next))] as unknown[],
};
