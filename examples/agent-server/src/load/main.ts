/** The load generator's process: `node load/main.ts URL '{"users":30,...}'`; sends the summary to its parent and ends. */
import { Load } from './load.ts';
import type { LoadOptions } from './load.ts';

const [base = '', options = '{}'] = process.argv.slice(2);
const load = new Load(base, JSON.parse(options) as LoadOptions);
process.on('SIGINT', () => load.stop());
process.on('SIGTERM', () => load.stop());
// Without its server the load ends.
process.on('disconnect', () => process.exit());
const summary = await load.run();
if (process.send) process.send(summary, () => process.disconnect());
else process.stdout.write(`${JSON.stringify(summary)}\n`);
