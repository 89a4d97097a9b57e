/** Preloaded into the supervisor by `KEEP_REPORTS`: records, and with KEEP_SNAPSHOTS snapshots, are renamed where they would be removed. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { unlinkSync } = fs;
const kept = process.env.KEEP_SNAPSHOTS === undefined ? /\.proof\.json$/ : /\.proof\.json$|\.heapsnapshot$/;

fs.unlinkSync = (path) => {
  if (kept.test(String(path))) fs.renameSync(path, `${String(path)}.kept`);
  else unlinkSync(path);
};
syncBuiltinESMExports();
