import { failure } from '@plimsoll/core/internal/errors';
import { parseByteSize } from '@plimsoll/core/units';
import { PolicyError } from './parse.ts';
import { formatPlace } from './form/place.ts';
import { parsePercent } from './form/quantity.ts';
import type { MapTree, Tree } from './form/yaml-tree.ts';
import { parseYamlTree } from './form/yaml-tree.ts';

/** A policy that was converted from another form, with the differences. */
interface Converted {
  readonly text: string;
  /** One sentence for each thing that was changed, added or left out, with its line. */
  readonly changes: readonly string[];
}

const mib = 1024 ** 2;
/** Percent below its enter line at which a level ends. */
const gapPercent = 5;

/**
 * Converts a policy with `memory_budgets` (sizes in MB, thresholds in percent, services by name) into one of ours. Keys without a
 * counterpart are listed and left out. The result is in mode shadow, so that it reports before it acts.
 */
export function convertMemoryBudgets(given: string, file: string): Converted {
  const { tree, problems } = parseYamlTree(yamlOf(given), file);
  if (tree === undefined) throw new PolicyError(file, problems);
  const root = entriesOf(tree);
  const budgets = entriesOf(root.get('memory_budgets'));
  if (budgets.size === 0)
    throw failure('PLM_POLICY_FOREIGN', {
      file,
      found: [...root.keys()].slice(0, 10),
    });
  return new Conversion(file, root, budgets).result();
}

class Conversion {
  readonly #file: string;
  readonly #root: ReadonlyMap<string, Tree>;
  readonly #budgets: ReadonlyMap<string, Tree>;
  readonly #changes: string[] = [];

  constructor(file: string, root: ReadonlyMap<string, Tree>, budgets: ReadonlyMap<string, Tree>) {
    this.#file = file;
    this.#root = root;
    this.#budgets = budgets;
  }

  result(): Converted {
    const global = entriesOf(this.#budgets.get('global'));
    const max = this.#size(global, 'max_memory_mb', 'memory_budgets.global');
    const warning = this.#percent(global, 'warning_threshold_percent', 80);
    const critical = this.#percent(global, 'critical_threshold_percent', 95);
    const services = this.#services(max);
    const lines = [
      '# yaml-language-server: $schema=./plimsoll.schema.json',
      `# Converted from ${this.#file}. "plimsoll check" checks it, "plimsoll docs policy" explains every key.`,
      'apiVersion: plimsoll/v1',
      'revision: 1',
      'mode: shadow # reports what it would do; write "enforce" when the reports are right',
      ...this.#levels(warning, critical),
      'budgets:',
      `  global: { max: ${max === undefined ? '100%' : sizeText(max)} }`,
      ...(services.length > 0 ? ['  services:', ...services] : []),
      ...ladder,
    ];
    this.#note(
      'the ladder was added, because the old policy named no actions in a form that can be converted. It only reports until mode is enforce.',
    );
    this.#leftOut();
    return { text: `${lines.join('\n')}\n`, changes: this.#changes };
  }

  #services(globalBytes: number | undefined): string[] {
    const found = this.#budgets.get('services');
    return [...entriesOf(found)].flatMap(([name, value]) => {
      const bytes =
        value.kind === 'map'
          ? this.#size(entriesOf(value), 'max_memory_mb', `memory_budgets.services.${name}`)
          : sizeOf(value);
      if (bytes === undefined) {
        this.#note(`service "${name}" has no size that can be read, and was left out.`, value);
        return [];
      }
      if (globalBytes !== undefined && bytes > globalBytes) {
        this.#note(`service "${name}" had more than the global budget and got all of it.`, value);
        return [`    ${JSON.stringify(name)}: { max: ${sizeText(globalBytes)} }`];
      }
      this.#note(`service "${name}": ${textOf(value)} became max: ${sizeText(bytes)}.`, value);
      return [`    ${JSON.stringify(name)}: { max: ${sizeText(bytes)} }`];
    });
  }

  #levels(warningAsked: number, criticalAsked: number): string[] {
    const warning = Math.min(warningAsked, 96);
    const critical = Math.min(Math.max(criticalAsked, warning + 1), 98);
    const emergency = tenth(critical + (100 - critical) * 0.6);
    if (warning !== warningAsked || critical !== criticalAsked)
      this.#note(
        `the thresholds ${warningAsked} % and ${criticalAsked} % became ${warning} % and ${critical} %: warning is below critical, and critical below emergency.`,
      );
    this.#note(
      `thresholds became levels: warning from ${warning} %, critical from ${critical} %. Level emergency from ${emergency} % was added. Each ends below its line, and they are compared with live memory after a garbage collection and not with the memory in use.`,
    );
    const warningExit = Math.max(1, warning - gapPercent);
    const criticalExit = Math.max(critical - gapPercent, warningExit + 0.5);
    const emergencyExit = Math.max(emergency - gapPercent, criticalExit + 0.5);
    const line = (level: string, enter: number, exit: number): string =>
      `  ${level}: { enter: ${tenth(enter)}%, exit: ${tenth(exit)}% }`;
    return [
      'levels:',
      line('warning', warning, warningExit),
      line('critical', critical, criticalExit),
      line('emergency', emergency, emergencyExit),
    ];
  }

  #size(map: ReadonlyMap<string, Tree>, key: string, where: string): number | undefined {
    const value = map.get(key);
    if (value === undefined) return undefined;
    const bytes = sizeOf(value);
    if (bytes === undefined) this.#note(`${where}.${key} cannot be read as a size, and was left out.`, value);
    else
      this.#note(`${where}.${key}: ${textOf(value)} became ${sizeText(bytes)}; MB was read as MiB.`, value);
    return bytes;
  }

  #percent(map: ReadonlyMap<string, Tree>, key: string, otherwise: number): number {
    const value = map.get(key);
    const written = value?.kind === 'scalar' ? value.text.trim() : '';
    const ratio = parsePercent(written.endsWith('%') ? written : `${written}%`);
    if (ratio !== undefined && ratio > 0.05 && ratio < 1) return tenth(100 * ratio);
    this.#note(`${key} is missing or cannot be read; ${otherwise} % was taken.`, value);
    return otherwise;
  }

  /** Every part of the old policy that is not in the new one. */
  #leftOut(): void {
    const known = new Set(['max_memory_mb', 'warning_threshold_percent', 'critical_threshold_percent']);
    for (const [key, value] of entriesOf(this.#budgets.get('global')))
      if (!known.has(key))
        this.#note(`memory_budgets.global.${key} has no counterpart and was left out.`, value);
    for (const [key, value] of this.#budgets)
      if (key !== 'global' && key !== 'services')
        this.#note(`memory_budgets.${key} has no counterpart and was left out.`, value);
    for (const [key, value] of this.#root) {
      if (key === 'memory_budgets') continue;
      const hint = Object.entries(hints).find(([word]) => key.includes(word))?.[1];
      this.#note(
        `${key} was left out${hint === undefined ? ': it has no counterpart' : `: ${hint}`}.`,
        value,
      );
    }
  }

  #note(text: string, at?: Tree): void {
    this.#changes.push(at === undefined ? text : `line ${at.place.line}: ${text}`);
  }
}

/** The place of each section of the old form in ours. */
const hints: Readonly<Record<string, string>> = {
  leak: 'leaks are found without settings',
  cleanup: 'the ladder replaces it; adjust its rungs',
  alert: 'write recipients and routes under "alerts"',
  ledger: 'write how long history is kept under "ledger"',
  enforce: 'write "mode: enforce" when the reports are right',
};

const ladder = [
  'ladder:',
  '  warning: [ notify, hint, keepers.shrink: { to: 70% } ]',
  '  critical:',
  '    - notify',
  '    - cache.drop',
  '    - session.park: { until: 70% }',
  '    - gc.request: { every: 60s }',
  '    - admit.throttle: { scaled: 80%..99%, only: sheddable }',
  '  emergency: [ notify, admit.refuse, process.restart: { after: 120s } ]',
];

/** The first YAML block of a document that is not itself YAML, else the whole text. */
function yamlOf(text: string): string {
  const blocks = [...text.matchAll(/^```ya?ml\s*\n([^]*?)^```/gm)].map(([, block]) => block as string);
  const found = blocks.find((block) => block.includes('memory_budgets'));
  if (found === undefined) return text;
  // Padding keeps the line numbers.
  return '\n'.repeat(text.slice(0, text.indexOf(found)).split('\n').length - 1) + found;
}

function entriesOf(tree: Tree | undefined): ReadonlyMap<string, Tree> {
  return new Map((tree as MapTree | undefined)?.entries?.map(({ key, value }) => [key, value]) ?? []);
}

/** In that form a bare number is MB; "100MB" and "1.5 GB" have a unit. Both mean powers of 1024. */
function sizeOf(tree: Tree): number | undefined {
  if (tree.kind !== 'scalar') return undefined;
  const text = tree.text.trim().replaceAll(/["']/g, '');
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?$/i.exec(text);
  if (match === null) return undefined;
  const unit = (match[2] as string).toUpperCase();
  const bytes = parseByteSize(`${match[1]}${unit === '' ? 'M' : unit}iB`);
  return bytes !== undefined && bytes > 0 ? bytes : undefined;
}

function tenth(percent: number): number {
  return Math.round(10 * percent) / 10;
}

function sizeText(bytes: number): string {
  return bytes % mib === 0 ? `${bytes / mib}MiB` : `${Math.ceil(bytes / 1024)}KiB`;
}

function textOf(tree: Tree): string {
  return tree.kind === 'scalar' ? tree.text.trim() : formatPlace(tree.place);
}
