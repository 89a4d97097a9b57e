import { join } from 'node:path';
import { installOnce } from './install-once.ts';
import { installPostgres } from './postgres/server.ts';

/** Begins with the installations when the first tests do. Tests that need one come later, and find it done or under way. */
export default function installEarly(): () => Promise<void> {
  const done = (async () => {
    await installOnce(join(import.meta.dirname, 'runtimes'));
    await installOnce(join(import.meta.dirname, 'frameworks'));
    await installPostgres();
  })();
  // Whoever needs it installs it again, and tells what is wrong.
  const settled = done.catch(() => {});
  return () => settled;
}
