import { verbs } from './index.ts';

/** Every command, loaded: for the documentation, which is made from them. */
export const commands = await Promise.all(verbs.map(({ load }) => load()));
