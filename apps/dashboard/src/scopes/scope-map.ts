import type { Level } from '@plimsoll/host/protocol/frame';
import type { Mass } from '../chart/treemap-layout.ts';
import type { KnownScope } from '../live/known-scopes.ts';
import { leafOf, parentOf } from '../text/scope-path.ts';

/** Most drawn scopes. More would be smaller than a pixel, so the smallest are merged. */
const mostScopes = 600;

const tones: Readonly<Record<Level, string | undefined>> = {
  normal: undefined,
  warning: 'map-warning',
  critical: 'map-critical',
  emergency: 'map-emergency',
};

interface Draft {
  readonly id: string;
  readonly name: string;
  bytes: number;
  tone?: string;
  readonly children: Draft[];
}

/** Open scopes as nested masses: a branch holds at least what its children hold. */
export function scopeMap(known: Iterable<KnownScope>): Mass {
  const root: Draft = { id: 'all', name: 'all scopes', bytes: 0, children: [] };
  const drafts = new Map<string, Draft>();
  const heaviest = [...known].sort((a, b) => b.row.bytes - a.row.bytes).slice(0, mostScopes);
  for (const { row } of heaviest) {
    const draft = draftAt(drafts, root, row.path);
    draft.bytes = row.bytes;
    const tone = tones[row.level];
    if (tone !== undefined) draft.tone = tone;
  }
  settle(root);
  return root;
}

function draftAt(drafts: Map<string, Draft>, root: Draft, path: string): Draft {
  const there = drafts.get(path);
  if (there !== undefined) return there;
  const draft: Draft = { id: path, name: leafOf(path), bytes: 0, children: [] };
  drafts.set(path, draft);
  const parent = parentOf(path);
  (parent === undefined ? root : draftAt(drafts, root, parent)).children.push(draft);
  return draft;
}

function settle(draft: Draft): number {
  const inside = draft.children.reduce((sum, child) => sum + settle(child), 0);
  draft.bytes = Math.max(draft.bytes, inside);
  return draft.bytes;
}
