import { hierarchy, treemap, treemapSquarify, type HierarchyRectangularNode } from 'd3-hierarchy';

/** A node with a size and children. */
export interface Mass {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  /** Colour name of the style sheet; default by depth. */
  readonly tone?: string;
  readonly children?: readonly Mass[];
}

/** A rectangle on the canvas. */
export interface Box {
  readonly mass: Mass;
  readonly depth: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isLeaf: boolean;
}

/** Height of the name above the children. */
const header = 18;
const leastPixels = 3;

/** Lays out a tree in a rectangle. The bytes of a branch that are not in its children stay visible as its background. */
export function layout(root: Mass, width: number, height: number): Box[] {
  const tree = hierarchy<Mass>(root, (mass) => (mass.children === undefined ? null : withRest(mass)))
    .sum((mass) => (mass.children === undefined || mass.children.length === 0 ? mass.bytes : 0))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const laid = treemap<Mass>()
    .tile(treemapSquarify.ratio(1.4))
    .size([width, height])
    .paddingTop((node) => (node.depth > 0 && node.x1 - node.x0 > 40 && node.y1 - node.y0 > 36 ? header : 1))
    .paddingInner(1)
    .paddingRight(1)
    .paddingBottom(1)
    .paddingLeft(1)
    .round(true)(tree);
  const boxes: Box[] = [];
  collect(laid, boxes);
  return boxes;
}

function withRest(mass: Mass): readonly Mass[] {
  const children = mass.children ?? [];
  const sum = children.reduce((total, child) => total + child.bytes, 0);
  const rest = mass.bytes - sum;
  if (children.length === 0 || rest < mass.bytes * 0.01) return children;
  return [
    ...children,
    { id: `${mass.id}#rest`, name: 'itself and smaller ones', bytes: rest, tone: 'map-rest' },
  ];
}

function collect(node: HierarchyRectangularNode<Mass>, boxes: Box[]): void {
  const width = node.x1 - node.x0;
  const height = node.y1 - node.y0;
  if (width < leastPixels || height < leastPixels) return;
  const isLeaf = node.children === undefined;
  if (node.depth > 0)
    boxes.push({ mass: node.data, depth: node.depth, x: node.x0, y: node.y0, width, height, isLeaf });
  for (const child of node.children ?? []) collect(child, boxes);
}

/** The innermost box at a point. */
export function boxAt(boxes: readonly Box[], x: number, y: number): Box | undefined {
  return boxes.findLast((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height);
}

/** The path to the mass with an id, root first; undefined when it is gone. */
export function wayTo(root: Mass, id: string): readonly Mass[] | undefined {
  if (root.id === id) return [root];
  for (const child of root.children ?? []) {
    const way = wayTo(child, id);
    if (way !== undefined) return [root, ...way];
  }
  return undefined;
}
