import { hasBit } from '../kernel/typescript/rows.ts';
import { typeMask, weakBit } from '../kernel/columns.ts';
import type { Scan } from '../graph/scan.ts';
import { codeOwners } from '../graph/survey.ts';
import { traitsOf } from './name-policy.ts';
import { redactedMark } from './placeholder.ts';

/** What has to be known before the first byte of the redacted snapshot can be written. */
export interface RedactionSurvey {
  readonly nodeTypes: readonly string[];
  readonly edgeTypes: readonly string[];
  /** Per node. */
  readonly nodeType: Uint8Array;
  readonly nodeName: Uint32Array;
  readonly edgeCount: Uint32Array;
  /** Per string: its traits. */
  readonly traits: Uint16Array;
  /** The file was redacted before. The names that it still has are structure. */
  readonly isRedacted: boolean;
  /** Indices of a few strings that the rules ask for by text. */
  readonly known: ReadonlyMap<string, number>;
  /** Nodes that carry the path or state of a scope; those labels are the operator's own and stay. */
  readonly scopeLabels: ReadonlySet<number>;
  /** Per string: 1 when some edge is named by it. */
  readonly namesEdge: Uint8Array;
  /** Per string: 1 when a programmer wrote it as a name. */
  readonly inCode: Uint8Array;
}

const wanted = new Set(['Object', '', 'PlimsollScopeRoot', 'path', 'state', ...codeOwners]);

/** Looks at all names of a scanned snapshot, whose rows were kept. */
export function surveyNames(scan: Scan, keep: ReadonlySet<string>): RedactionSurvey {
  const { columns, layout } = scan;
  const { nodeCount, firstEdge } = columns;
  const nodeType = new Uint8Array(nodeCount);
  const nodeName = new Uint32Array(nodeCount);
  const edgeCount = new Uint32Array(nodeCount);
  for (let n = 0; n < nodeCount; n++) {
    nodeType[n] = (columns.kind[n] as number) & typeMask;
    // In the columns, a plain object has its shape in place of its name.
    nodeName[n] = hasBit(columns.plain, n) ? scan.names.object : (columns.name[n] as number);
    edgeCount[n] = (firstEdge[n + 1] as number) - (firstEdge[n] as number);
  }
  const { nodeTypes, edgeTypes } = layout;
  const strings = surveyStrings(scan, keep);
  const nodes = { nodeTypes, edgeTypes, nodeType, nodeName, edgeCount };
  return { ...nodes, ...strings, ...surveyEdges(scan, nodes, strings.known) };
}

function surveyStrings(
  { strings }: Scan,
  keep: ReadonlySet<string>,
): Pick<RedactionSurvey, 'traits' | 'isRedacted' | 'known'> {
  const traits = new Uint16Array(strings.count);
  const known = new Map<string, number>();
  let isRedacted = false;
  strings.each(upTo(strings.count), (index, text) => {
    if (index === 0) isRedacted = text === redactedMark;
    if (wanted.has(text)) known.set(text, index);
    traits[index] = traitsOf(text, keep);
  });
  return { traits, isRedacted, known };
}

function* upTo(count: number): Generator<number> {
  for (let i = 0; i < count; i++) yield i;
}

/** Which strings name edges, which names a compiled function refers to, and which nodes label a scope. */
function surveyEdges(
  { columns, edgeNames, strings }: Scan,
  {
    nodeTypes,
    edgeTypes,
    nodeType,
    nodeName,
  }: Pick<RedactionSurvey, 'nodeTypes' | 'edgeTypes' | 'nodeType' | 'nodeName'>,
  known: ReadonlyMap<string, number>,
): Pick<RedactionSurvey, 'scopeLabels' | 'namesEdge' | 'inCode'> {
  const { firstEdge, to, nodeCount } = columns;
  const type = (name: string): number => edgeTypes.indexOf(name);
  const [element, hidden, property] = [type('element'), type('hidden'), type('property')];
  const string = nodeTypes.indexOf('string');
  const owners = new Set(codeOwners.map((name) => known.get(name) ?? -1));
  const [marker, path, state] = ['PlimsollScopeRoot', 'path', 'state'].map((name) => known.get(name));
  const namesEdge = new Uint8Array(strings.count);
  const inCode = new Uint8Array(strings.count);
  const scopeLabels = new Set<number>();
  for (let n = 0; n < nodeCount; n++) {
    const name = nodeName[n] as number;
    const isCode = owners.has(name);
    for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
      const kind = edgeNames.type(e);
      if (kind !== element && kind !== hidden) namesEdge[edgeNames.name(e)] = 1;
      const target = ((to[e] as number) & ~weakBit) >>> 0;
      if (isCode) {
        if (nodeType[target] === string) inCode[nodeName[target] as number] = 1;
      } else if (name === marker && kind === property) {
        const label = edgeNames.name(e);
        if (label === path || label === state) scopeLabels.add(target);
      }
    }
  }
  return { scopeLabels, namesEdge, inCode };
}
