import { readdirSync } from 'node:fs';
import { ReplayBuffer } from './replay-buffer.ts';
import type { ReplayBufferOptions } from './settings.ts';

export interface Delta {
  readonly type: 'text-delta';
  readonly id: string;
  readonly text: string;
}

export const delta = (text: string): Delta => ({ type: 'text-delta', id: '0', text });

export const refused = (options: object): string => {
  try {
    return new ReplayBuffer(options as ReplayBufferOptions<unknown>).name;
  } catch (error) {
    return String(error);
  }
};

export const readText = async (reader: AsyncIterable<Delta>): Promise<string> => {
  let text = '';
  for await (const chunk of reader) text += chunk.text;
  return text;
};

export const openFiles = (): number => readdirSync('/proc/self/fd').length;
