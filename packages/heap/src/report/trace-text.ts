import type { TraceStep } from '../trace/leak-trace.ts';
import { countText } from '../byte-text.ts';
import { plain, type Paint } from './paint.ts';

const nameColumn = 34;

/**
 * A leak trace as text, root first: objects on the rail, references between them, suspect references underlined. A
 * collection between two objects is part of the reference.
 */
export function traceText(steps: readonly TraceStep[], paint: Paint = plain): string {
  const lines: string[] = [];
  const groups = grouped(steps);
  groups.forEach((group, index) => {
    const isLast = index === groups.length - 1;
    const { step } = group;
    const rail = index === 0 ? '┬ ' : isLast ? '╰→ ' : '├─ ';
    const name = index === 0 ? `root: ${step.name}` : nameOf(step);
    const head = `${rail}${name}`;
    const note = noteOf(step, paint);
    lines.push(note === '' ? head : `${head.padEnd(nameColumn)} ${note}`);
    const next = groups[index + 1];
    if (next !== undefined) lines.push(...referenceLines(next, paint));
  });
  return lines.join('\n');
}

interface Group {
  readonly step: TraceStep;
  /** The reference to the step, collections on the way included. */
  readonly reference: string;
  readonly suspect: boolean;
  readonly aside: string;
}

/** Folds arrays, maps and sets that only lead to the next object into the reference to it. */
function grouped(steps: readonly TraceStep[]): Group[] {
  const groups: Group[] = [];
  let reference = '';
  let aside = '';
  let suspect = false;
  steps.forEach((step, index) => {
    reference = reference === '' ? step.via : `${reference} → ${step.via}`;
    suspect ||= step.suspect;
    const leadsOn = index > 0 && index < steps.length - 1 && isCollection(step);
    if (leadsOn) {
      reference += ` : ${step.name}`;
      if (step.entries !== undefined) aside = `${countText(step.entries)} entries`;
      return;
    }
    groups.push({ step, reference, suspect, aside });
    reference = '';
    aside = '';
    suspect = false;
  });
  return groups;
}

function isCollection(step: TraceStep): boolean {
  return step.type === 'object' && step.scope === undefined && /^(?:Array|Map|Set|Object)$/.test(step.name);
}

function nameOf(step: TraceStep): string {
  return step.times === undefined ? step.name : `${step.name} … ×${countText(step.times)}`;
}

function noteOf(step: TraceStep, paint: Paint): string {
  const place = step.at === undefined || step.type === 'root' ? '' : paint.dim(step.at);
  const scope = step.scope === undefined ? '' : `scope ${step.scope}`;
  const status = statusText(step, paint);
  return [status, scope, place].filter((part) => part !== '').join('   ');
}

/** What follows from the steps around it is not worth saying. */
const implied = new Set(['', 'a root', 'leads to what lives on', 'only held by what should be gone']);

function statusText(step: TraceStep, paint: Paint): string {
  if (implied.has(step.why)) return '';
  if (step.leaking === 'yes') return paint.red(`leaking: ${step.why}`);
  return step.leaking === 'no' ? paint.green(`not leaking: ${step.why}`) : step.why;
}

function referenceLines(group: Group, paint: Paint): string[] {
  const text = `│    ↓ ${group.reference}`;
  const line = group.aside === '' ? text : `${text.padEnd(nameColumn)} ${group.aside}`;
  return group.suspect ? [line, `│      ${paint.yellow('~'.repeat(group.reference.length))}`] : [line];
}
