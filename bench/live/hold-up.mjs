/**
 * Preloaded into the programs by `REFUSED=1`: the kernel's account of the main thread says that it waits 300 times as long as it runs. Every
 * snapshot is then predicted to stop the program for too long. Nothing else of the judge reads that account, so that a quiet machine shows
 * what is named where no snapshot fits. (`--max-pause 1ms` also takes the forced floors away and leaves the snapshot at the end.)
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const account = '/proc/self/schedstat';
const waits = 300;
const { readFileSync } = fs;

fs.readFileSync = (path, ...rest) => {
  const text = readFileSync(path, ...rest);
  if (path !== account) return text;
  const [ran] = String(text).split(' ').map(Number);
  return `${ran} ${waits * ran} 1\n`;
};
syncBuiltinESMExports();
