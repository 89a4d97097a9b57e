/** What an analysis found, as text for a terminal and as a page. */
export { analysisText } from './analysis-text.ts';
export { renderHtml } from './analysis-html.ts';
export { diffText } from './diff-text.ts';
export { colours, plain, type Paint } from './paint.ts';
export { classText, nodeText, scopeText } from './question-text.ts';
export { traceText } from './trace-text.ts';
