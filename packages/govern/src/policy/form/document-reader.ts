import type { PlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import type { Place } from './place.ts';
import { formatKeyPath, formatPlace } from './place.ts';
import type { Choice, Leaf, List, Named, Shape, Table } from './shape.ts';
import { suggestion } from './suggestion.ts';
import type { MapTree, Tree } from './yaml-tree.ts';

type Path = readonly (string | number)[];
const maxShown = 60;

/** Reads a tree by a shape: the value where it fits, and a problem with its place for each part that does not. */
export class DocumentReader {
  readonly problems: PlimsollError[] = [];
  readonly #places = new Map<string, Place>();

  /** The value; undefined when it could not be read. `problems` has the reason. */
  read<T>(shape: Shape<T>, tree: Tree): T | undefined {
    return this.#read(shape, tree, []) as T | undefined;
  }

  /** The place of the value at a path; the place of the nearest outer part when it is not in the file. */
  placeOf(path: Path): Place {
    for (let length = path.length; length >= 0; length--) {
      const place = this.#places.get(JSON.stringify(path.slice(0, length)));
      if (place !== undefined) return place;
    }
    return { file: '', line: 0, column: 0 };
  }

  #read(shape: Shape, tree: Tree, path: Path): unknown {
    this.#places.set(JSON.stringify(path), tree.place);
    switch (shape.kind) {
      case 'leaf':
        return this.#readLeaf(shape, tree, path);
      case 'table':
        return this.#readTable(shape, tree, path);
      case 'named':
        return this.#readNamed(shape, tree, path);
      case 'list':
        return this.#readList(shape, tree, path);
      default:
        return this.#readChoice(shape, tree, path);
    }
  }

  #at(place: Place, path: Path): { place: string; path: string } {
    return { place: formatPlace(place), path: formatKeyPath(path) };
  }

  #readChoice(shape: Choice<unknown>, tree: Tree, path: Path): unknown {
    return this.#read(tree.kind === 'map' ? shape.table : shape.word, tree, path);
  }

  #readLeaf(shape: Leaf<unknown>, tree: Tree, path: Path): unknown {
    const at = this.#at(tree.place, path);
    if (tree.kind !== 'scalar') {
      this.problems.push(
        failure('PLM_POLICY_WRONG_KIND', {
          ...at,
          found: tree.kind === 'map' ? 'a map' : 'a list',
          accepted: shape.accepted,
          fix: `write ${shape.example}.`,
        }),
      );
      return undefined;
    }
    if (tree.value !== null) {
      const value = shape.read(tree.value);
      if (value !== undefined) return value;
    }
    this.problems.push(this.#badLeaf(shape, tree.value, tree.text.slice(0, maxShown), at));
    return undefined;
  }

  #badLeaf(
    shape: Leaf<unknown>,
    value: string | number | boolean | null,
    text: string,
    at: { place: string; path: string },
  ): PlimsollError {
    if (shape.unit !== undefined && value !== null && /^\s*\d+(\.\d+)?\s*$/.test(text))
      return failure('PLM_POLICY_NO_UNIT', { ...at, value: text.trim(), unit: shape.unit });
    const near = typeof value === 'string' && shape.words ? suggestion(value, shape.words) : undefined;
    const words = near === undefined ? {} : { suggestion: near };
    if (shape.actions === true && typeof value === 'string')
      return failure('PLM_POLICY_UNKNOWN_ACTION', {
        ...at,
        action: text,
        actions: shape.words as readonly string[],
        ...words,
      });
    return failure('PLM_POLICY_BAD_VALUE', {
      ...at,
      value:
        value === null
          ? 'an empty value'
          : shape.hidden === true
            ? 'what is written'
            : typeof value === 'string'
              ? JSON.stringify(text)
              : text,
      accepted: shape.accepted,
      example: shape.example,
      ...words,
    });
  }

  #readTable(shape: Table<unknown>, tree: Tree, path: Path): unknown {
    const map = this.#asMap(tree, path, shape.noun, `${Object.keys(shape.keys)[0]}: ...`);
    if (map === undefined) return undefined;
    const result: Record<string, unknown> = {};
    const names = Object.keys(shape.keys);
    for (const { key, keyPlace, value } of map.entries) {
      const known = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
      if (known === undefined) this.#refuseKey(shape, key, names, keyPlace, path);
      else {
        const read = this.#read(known.shape, value, [...path, key]);
        if (read !== undefined) result[key] = read;
      }
    }
    for (const name of names) {
      const key = shape.keys[name];
      if (key?.required !== true || map.entries.some((entry) => entry.key === name)) continue;
      const example = key.shape.kind === 'leaf' ? key.shape.example : '...';
      this.problems.push(
        failure('PLM_POLICY_MISSING_KEY', {
          ...this.#at(map.place, path),
          key: name,
          noun: shape.noun,
          example,
        }),
      );
    }
    if (shape.single === true && map.entries.length !== 1) {
      this.problems.push(
        failure('PLM_POLICY_WRONG_KIND', {
          ...this.#at(map.place, path),
          found: `a map with ${map.entries.length} keys`,
          accepted: `${shape.noun} with one key, the action`,
          fix: 'start a new "- " line for each action.',
        }),
      );
    }
    return result;
  }

  #refuseKey(shape: Table<unknown>, key: string, names: readonly string[], place: Place, path: Path): void {
    const near = suggestion(key, names);
    const words = near === undefined ? {} : { suggestion: near };
    const at = this.#at(place, path);
    const shown = key.slice(0, maxShown);
    this.problems.push(
      shape.actions === true
        ? failure('PLM_POLICY_UNKNOWN_ACTION', { ...at, action: shown, actions: names, ...words })
        : failure('PLM_POLICY_UNKNOWN_KEY', { ...at, key: shown, noun: shape.noun, keys: names, ...words }),
    );
  }

  #readNamed(shape: Named<unknown>, tree: Tree, path: Path): unknown {
    const map = this.#asMap(tree, path, `a map of ${shape.noun}`, 'name: { ... }');
    if (map === undefined) return undefined;
    // A prototype would turn an agent called "__proto__" into something else.
    const result = Object.create(null) as Record<string, unknown>;
    for (const { key, keyPlace, value } of map.entries) {
      const read = this.#read(shape.item, value, [...path, key]);
      this.#places.set(JSON.stringify([...path, key]), keyPlace);
      if (read !== undefined) result[key] = read;
    }
    return result;
  }

  #readList(shape: List<unknown>, tree: Tree, path: Path): unknown {
    if (tree.kind === 'scalar' && tree.value === null) return [];
    if (tree.kind !== 'list') {
      this.#wrongKind(tree, path, shape.noun, 'start each item with "- ".');
      return undefined;
    }
    return tree.items
      .map((item, i) => this.#read(shape.item, item, [...path, i]))
      .filter((item) => item !== undefined);
  }

  /** A map; a key with nothing under it is an empty one. */
  #asMap(tree: Tree, path: Path, noun: string, example: string): MapTree | undefined {
    if (tree.kind === 'map') return tree;
    if (tree.kind === 'scalar' && tree.value === null) return { kind: 'map', entries: [], place: tree.place };
    const accepted = noun.startsWith('a map') ? noun : `a map, ${noun}`;
    this.#wrongKind(tree, path, accepted, `write "${example}" lines under it, without "-".`);
    return undefined;
  }

  #wrongKind(tree: Tree, path: Path, accepted: string, fix: string): void {
    const found =
      tree.kind === 'map'
        ? 'a map'
        : tree.kind === 'list'
          ? 'a list'
          : `the value ${JSON.stringify(tree.text.slice(0, maxShown))}`;
    this.problems.push(
      failure('PLM_POLICY_WRONG_KIND', { ...this.#at(tree.place, path), found, accepted, fix }),
    );
  }
}
