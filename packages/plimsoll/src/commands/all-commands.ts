import { verbs } from './index.ts';

/** Every command, loaded, for generating the documentation. */
export const commands = await Promise.all(verbs.map(({ load }) => load()));
