import { printable } from '../screen/table.ts';

/** Text for HTML, in an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A table that can be scrolled sideways on a phone. `rows` are HTML. */
export function htmlTable(
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return '';
  const head = titles.map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map(cellHtml).join('')}</tr>`).join('\n');
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table><caption>${escapeHtml(caption)}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** A long text gets a minimum width, so that a narrow screen scrolls instead of breaking words. */
function cellHtml(cell: string): string {
  return cell.length > 24 ? `<td class="wide">${cell}</td>` : `<td>${cell}</td>`;
}
