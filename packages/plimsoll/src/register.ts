/** The preload: `node --import plimsoll/register server.js` governs the process. It throws nothing into the program. */
import { isMainThread } from 'node:worker_threads';
import { settingsOf } from './host/settings.ts';

const settings = isMainThread ? settingsOf(process.env, process.argv, process.cwd(), process.pid) : undefined;
if (settings !== undefined) {
  process.env['PLIMSOLL_HOST'] ??= String(process.pid);
  try {
    const { Host } = await import('./host/host.ts');
    new Host(settings).start();
  } catch (error) {
    process.emitWarning(
      `Plimsoll could not start and the program runs ungoverned: ${String(error)}`,
      'PlimsollWarning',
    );
  }
}
