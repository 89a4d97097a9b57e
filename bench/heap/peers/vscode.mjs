/** @vscode/v8-heap-parser: decode, class groups with retained sizes, retainers of one node to a depth (it has no path). */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const peers = createRequire(resolve(import.meta.dirname, '../../package.json'));
const { decode_bytes: decode } = peers('@vscode/v8-heap-parser');
const graph = decode(readFileSync(process.argv[2]));
const groups = graph.get_class_groups(0, 2000, false);
const session = groups.findIndex((group) => group.name() === 'Session');
const [first] = session < 0 ? [] : graph.class_children(session, 0, 1, 1);
const path = first === undefined ? [] : graph.get_all_retainers(first.index, 6).map((one) => one.name());
process.stdout.write(
  JSON.stringify({
    session: session < 0 ? null : Number(groups[session].retained_size),
    path: path.slice(0, 10),
    top: groups.slice(0, 20).map((group) => [group.name(), Number(group.retained_size)]),
  }),
);
