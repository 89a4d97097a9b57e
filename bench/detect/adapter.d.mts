import type { Meta, Rule } from './peers.ts';

export function create(meta: Meta): Rule;
