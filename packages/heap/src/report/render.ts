import type { Analysis } from '../analysis.ts';
import type { Snapshot } from '../opened-snapshot.ts';
import { analysisHtml } from './analysis-html.ts';
import { treemapTree } from './treemap-tree.ts';

/** The HTML report of an open snapshot: one file, no request to anybody. */
export function renderHtml(snapshot: Snapshot, analysis: Analysis): string {
  return analysisHtml({ analysis, tree: treemapTree(snapshot), constructors: snapshot.constructors() });
}
