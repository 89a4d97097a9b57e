import type { Analysis } from '../analysis.ts';
import { bytesText, countText, msText } from '../byte-text.ts';
import type { ConstructorRow } from '../graph/constructors.ts';
import type { Snapshot } from '../opened-snapshot.ts';
import type { Suspect } from '../suspects/suspects.ts';
import type { TraceStep } from '../trace/leak-trace.ts';
import { pageScript } from './page-script.ts';
import { pageStyle } from './page-style.ts';
import { type TreemapNode, treemapTree } from './treemap-tree.ts';

interface HtmlInput {
  readonly analysis: Analysis;
  readonly tree: TreemapNode;
  /** The whole constructor table, for the search. */
  readonly constructors: readonly ConstructorRow[];
}

/** An analysis as one HTML file that asks no server for anything. */
function analysisHtml({ analysis, tree, constructors }: HtmlInput): string {
  const classes = constructors.map((row) => [row.name, row.count, row.shallowBytes, row.retainedBytes]);
  const data = JSON.stringify({ tree, classes }).replaceAll('<', String.raw`\u003c`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escape(baseName(analysis.file))}: heap analysis</title>
<style>${pageStyle}</style>
<main>
<h1>${escape(baseName(analysis.file))}</h1>
<p class="soft">Heap snapshot, analysed by Plimsoll. String contents are ${shownText(analysis)}.</p>
${facts(analysis)}
<h2>Suspects</h2>
${analysis.suspects.length === 0 ? '<p>None: nothing accumulates more than 1 % of the heap in one place.</p>' : analysis.suspects.map(suspectHtml).join('\n')}
<h2>What keeps what alive</h2>
<div class="map"><div class="crumbs" id="crumbs"></div>
<canvas id="treemap" tabindex="0" role="img" aria-label="Treemap of the dominator tree. Arrow keys move, Enter opens, Escape goes back."></canvas>
<p class="soft" id="hover"></p></div>
${scopesHtml(analysis)}${observationsHtml(analysis)}
<h2>Constructors</h2>
<input type="search" id="search" placeholder="Search constructors" aria-label="Search constructors">
<div class="scroll"><table id="classes"><thead><tr><th><button>constructor</button></th><th><button>count</button></th><th><button>own</button></th><th aria-sort="descending"><button>retained</button></th></tr></thead><tbody></tbody></table></div>
<p class="soft below"><span id="shown"></span> <button id="more" hidden>Show all</button></p>
<footer>Chrome DevTools opens the same file: Memory, Load profile; there, search for @id. Read ${msText(analysis.ms.read)}, analysis ${msText(analysis.ms.total - analysis.ms.read)}, peak memory ${bytesText(analysis.peakRssBytes)}.</footer>
</main>
<script type="application/json" id="data">${data}</script>
<script>${pageScript}</script>
</html>
`;
}

function facts(analysis: Analysis): string {
  const entries: [string, string][] = [
    ['heap', bytesText(analysis.heapBytes)],
    ['objects', countText(analysis.nodes)],
    ['references', countText(analysis.edges)],
    ['suspects', String(analysis.suspects.length)],
    ['file', bytesText(analysis.fileBytes)],
  ];
  const cells = entries.map(([name, value]) => `<div><dt>${name}</dt><dd>${escape(value)}</dd></div>`);
  return `<dl class="facts">${cells.join('')}</dl>`;
}

function suspectHtml(suspect: Suspect, index: number): string {
  const known = suspect.knownLeak;
  return `<details${index === 0 ? ' open' : ''}><summary><span class="tag ${suspect.severity}">${suspect.severity}</span><span>${escape(suspect.summary)}</span></summary>
<div class="inside"><ol class="trace">${suspect.trace.map((step, i) => stepHtml(step, i, suspect.trace[i + 1])).join('')}</ol>
<p><code>${escape(suspect.code)}</code></p>
${suspect.keys === undefined ? '' : `<p class="soft">Keys are generated (${suspect.keys}): a collection keyed so is never full by itself.</p>`}
${known === undefined ? '' : `<div class="cure"><p><b>Known leak of ${escape(known.framework)}</b> (${escape(known.versions)}): ${escape(known.title)}.</p><p>Cure: ${escape(known.cure)}</p><p><a href="${escape(known.link)}" rel="noreferrer">${escape(known.link)}</a></p></div>`}
<p class="soft">fingerprint ${suspect.fingerprint}${suspect.holders > 1 ? `, ${suspect.holders} holders` : ''}</p></div></details>`;
}

function stepHtml(step: TraceStep, index: number, next: TraceStep | undefined): string {
  const name = index === 0 ? `root: ${step.name}` : step.name;
  const times = step.times === undefined ? '' : ` … ×${countText(step.times)}`;
  const notes = [
    step.why === '' || step.why.startsWith('leads to')
      ? ''
      : step.leaking === 'yes'
        ? `leaking: ${step.why}`
        : step.why,
    step.scope === undefined ? '' : `scope ${step.scope}`,
    step.at ?? '',
    bytesText(step.retainedBytes),
  ].filter((note) => note !== '');
  const via =
    next === undefined
      ? ''
      : `<span class="via${next.suspect ? ' suspect' : ''}">↓ ${escape(next.via)}</span>`;
  return `<li class="${step.leaking}"><span class="name">${escape(name + times)}</span><span class="note ${step.leaking}">${escape(notes.join(' · '))}</span>${via}</li>`;
}

function scopesHtml({ scopes }: Analysis): string {
  if (scopes === undefined) return '';
  const rows = scopes
    .slice(0, 200)
    .map(
      (row) =>
        `<tr><td>${escape(row.path)}</td><td>${escape(row.state)}</td><td>${bytesText(row.retainedBytes)}</td></tr>`,
    );
  return `<h2>Scopes</h2><div class="scroll"><table><thead><tr><th>scope</th><th>state</th><th>retained</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function observationsHtml({ observations }: Analysis): string {
  if (observations.length === 0) return '';
  return `<h2>Also seen</h2><ul class="plain">${observations.map((entry) => `<li>${escape(entry.text)}</li>`).join('')}</ul>`;
}

function shownText(analysis: Analysis): string {
  return analysis.showsStrings ? 'shown: this file may hold secrets' : 'redacted';
}

const baseName = (file: string): string => file.split('/').at(-1) ?? file;

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The HTML report of an open snapshot: one file, no request to anybody. */
export function renderHtml(snapshot: Snapshot, analysis: Analysis): string {
  return analysisHtml({ analysis, tree: treemapTree(snapshot), constructors: snapshot.constructors() });
}
