/** The part of the protocol that also runs in a browser: nothing here imports a module of Node.js. */
export { levels } from '@plimsoll/core/internal/level';
export { readingFields, storedFields } from '@plimsoll/core/internal/sense/reading-fields';
export type { ReadingField } from '@plimsoll/core/internal/sense/reading-fields';
export { severities } from '@plimsoll/leak/internal/findings/finding';
export { freedText } from './freed-text.ts';
export { holdersOf } from './holders.ts';
export type { HolderFacts, Holders } from './holders.ts';
