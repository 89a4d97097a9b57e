/** The load generator's process: `node load/main.ts URL '{"users":30,...}'`; tells its parent the summary and ends. */
import { Load } from './load.ts';
import type { LoadOptions } from './load.ts';

const [base = '', options = '{}'] = process.argv.slice(2);
const load = new Load(base, JSON.parse(options) as LoadOptions);
process.on('SIGINT', () => load.stop());
process.on('SIGTERM', () => load.stop());
// A server that was killed leaves nobody to load.
process.on('disconnect', () => process.exit());
const summary = await load.run();
if (process.send) process.send(summary, () => process.disconnect());
else process.stdout.write(`${JSON.stringify(summary)}\n`);
