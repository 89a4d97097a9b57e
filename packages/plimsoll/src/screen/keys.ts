import type { Io } from '../io.ts';

/** Calls back for every key until the returned function is called, which restores the terminal. */
export function onKeys(stdin: Io['stdin'], press: (key: string) => void): () => void {
  const listen = (data: Buffer | string): void => {
    for (const key of keysOf(String(data))) press(key);
  };
  stdin.setRawMode?.(true);
  stdin.resume();
  stdin.on('data', listen);
  return () => {
    stdin.off('data', listen);
    stdin.setRawMode?.(false);
    stdin.pause();
  };
}

/** Single keys of a burst; an escape sequence (arrow keys) is dropped completely, a single escape is kept. */
export function keysOf(text: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- the escape character is what starts a sequence
  return text.replace(/\u001b\[[0-9;]*[A-Za-z~]/g, '').split('');
}
