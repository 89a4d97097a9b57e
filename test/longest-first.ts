import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Files that take longest, from the longest on. Those that need the frameworks come after those that need nothing installed. */
const longest = [
  'test/integration/packages',
  'test/integration/planted-leaks',
  'test/integration/proof',
  'test/integration/ladder',
  'test/integration/process-tree',
  'test/browser/pages',
  'test/frameworks/ai',
  'test/integration/planted-leak',
  'test/integration/approvals',
  'test/integration/fresh-clone',
  'test/integration/restart',
  'test/frameworks/mastra',
  'test/frameworks/langgraph',
  'test/browser/real',
  'test/integration/fleet/approvals',
  'test/integration/fleet/faults',
  'test/integration/audit',
  'test/integration/tutorial',
  'scripts/docs/examples',
  'test/browser/speed',
  'test/browser/hands',
];

/** A run that knows nothing of earlier ones takes the longest files of a project first, so that none stands alone at the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root;
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(moduleId.slice(root.length + 1).replace(/\.test\.ts$/, ''));
      return at === -1 ? longest.length : at;
    };
    // Sorting is stable: the rest keeps the order of Vitest, which is that of the projects.
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
