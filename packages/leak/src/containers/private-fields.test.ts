import { expect, test } from 'vitest';
import { mayHideFields } from './private-fields.ts';

class Hidden {
  readonly #state = 1;
  get state(): number {
    return this.#state;
  }
}
class Below extends Hidden {
  override get state(): number {
    return 2;
  }
}
class Open {
  readonly state = 1;
}

test('classes with private fields are told by their text, through their parents', () => {
  expect(mayHideFields(new Hidden())).toBe(true);
  expect(mayHideFields(new Below())).toBe(true);
  expect(mayHideFields(new Open())).toBe(false);
  expect(mayHideFields({ a: 1 })).toBe(false);
  expect(mayHideFields(Object.create(null) as object)).toBe(false);
  expect(mayHideFields(new Map())).toBe(false);
});

test('a proxy is not asked', () => {
  const trap = (): never => {
    throw new Error('not ours to call');
  };
  expect(mayHideFields(new Proxy({}, { getPrototypeOf: trap }))).toBe(false);
  expect(mayHideFields(Object.create(new Proxy({}, { getPrototypeOf: trap })) as object)).toBe(false);
});
