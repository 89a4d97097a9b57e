import { useEffect, useRef, useState } from 'preact/hooks';
import { shownTheme } from '../shell/theme.ts';
import { bytesText, percentText } from '../text/units.ts';
import { colour } from './palette.ts';
import { boxAt, layout, wayTo, type Box, type Mass } from './treemap-layout.ts';

interface TreemapProps {
  readonly root: Mass;
  readonly label: string;
  readonly height: number;
  /** Called when the user opens a node without children. */
  readonly onOpen?: (mass: Mass) => void;
}

const depthTones = ['map-1', 'map-2', 'map-3', 'map-4'];

/** Nested rectangles by bytes. Arrow keys move between them, Enter opens one, Escape goes back. */
export function Treemap({ root, label, height, onOpen }: TreemapProps): preact.JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const boxes = useRef<readonly Box[]>([]);
  const [inside, setInside] = useState<string>(root.id);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [width, setWidth] = useState(0);
  const way = wayTo(root, inside) ?? [root];
  const top = way.at(-1) as Mass;
  const theme = shownTheme.value;
  useEffect(() => {
    const parent = canvas.current?.parentElement as HTMLElement;
    const observer = new ResizeObserver(() => setWidth(parent.clientWidth));
    observer.observe(parent);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width === 0 || canvas.current === null) return;
    boxes.current = layout(top, width, height);
    paint(canvas.current, boxes.current, width, height, chosen);
  }, [top, width, height, theme, chosen]);
  const enter = (mass: Mass): void => {
    if (mass.children !== undefined && mass.children.length > 0) setInside(mass.id);
    else if (!mass.id.endsWith('#rest')) onOpen?.(mass);
  };
  const at = (event: MouseEvent): Box | undefined => {
    const { left, top: y } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return boxAt(boxes.current, event.clientX - left, event.clientY - y);
  };
  const chosenMass = boxes.current.find((box) => box.mass.id === chosen)?.mass;
  return (
    <div class="treemap">
      <nav class="crumbs" aria-label={`${label}: position`}>
        {way.map((mass, index) => (
          <button
            type="button"
            class="crumb"
            key={mass.id}
            disabled={index === way.length - 1}
            onClick={() => setInside(mass.id)}
          >
            {mass.name}
          </button>
        ))}
      </nav>
      <div
        class="treemap-box"
        role="group"
        aria-label={`${label}. Arrow keys choose, Enter goes in, Escape goes out.`}
        tabIndex={0}
        onKeyDown={(event) =>
          onKey(event, { boxes: boxes.current, chosen, way, setChosen, setInside, enter })
        }
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={label}
          onMouseMove={(event) => setChosen(at(event)?.mass.id)}
          onMouseLeave={() => setChosen(undefined)}
          onClick={(event) => {
            const box = at(event);
            if (box !== undefined) enter(box.mass);
          }}
        />
      </div>
      <p class="treemap-note num" aria-live="polite">
        {chosenMass === undefined
          ? `${top.name}: ${bytesText(top.bytes)}`
          : `${chosenMass.name}: ${bytesText(chosenMass.bytes)}, ${percentText(chosenMass.bytes / top.bytes)} of ${top.name}`}
      </p>
    </div>
  );
}

interface KeyContext {
  readonly boxes: readonly Box[];
  readonly chosen: string | undefined;
  readonly way: readonly Mass[];
  readonly setChosen: (id: string | undefined) => void;
  readonly setInside: (id: string) => void;
  readonly enter: (mass: Mass) => void;
}

function onKey(event: KeyboardEvent, context: KeyContext): void {
  const { boxes, chosen, way, setChosen, setInside, enter } = context;
  const index = boxes.findIndex((box) => box.mass.id === chosen);
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step !== undefined && boxes.length > 0) {
    setChosen(boxes[(index + step + boxes.length) % boxes.length]?.mass.id);
  } else if (event.key === 'Enter' && index >= 0) enter((boxes[index] as Box).mass);
  else if ((event.key === 'Escape' || event.key === 'Backspace') && way.length > 1) {
    setInside((way.at(-2) as Mass).id);
  } else return;
  event.preventDefault();
}

function paint(
  canvas: HTMLCanvasElement,
  boxes: readonly Box[],
  width: number,
  height: number,
  chosen: string | undefined,
): void {
  const scale = devicePixelRatio;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = '11px ui-sans-serif, system-ui, sans-serif';
  context.textBaseline = 'middle';
  const tones = new Map<string, string>();
  const toneOf = (name: string): string => {
    const known = tones.get(name) ?? colour(name);
    tones.set(name, known);
    return known;
  };
  for (const box of boxes) paintBox(context, box, toneOf);
  const marked = boxes.find((box) => box.mass.id === chosen);
  if (marked === undefined) return;
  context.strokeStyle = toneOf('focus');
  context.lineWidth = 2;
  context.strokeRect(marked.x + 1, marked.y + 1, marked.width - 2, marked.height - 2);
}

function paintBox(context: CanvasRenderingContext2D, box: Box, toneOf: (name: string) => string): void {
  const { x, y, width, height, mass, depth, isLeaf } = box;
  context.fillStyle = toneOf(mass.tone ?? (depthTones[(depth - 1) % depthTones.length] as string));
  context.fillRect(x, y, width, height);
  if (width < 44 || height < 15) return;
  context.fillStyle = toneOf('map-ink');
  const label = fitting(context, mass.name, width - 8);
  if (label === '') return;
  context.fillText(label, x + 4, y + 9);
  if (isLeaf && height > 32)
    context.fillText(fitting(context, bytesText(mass.bytes), width - 8), x + 4, y + 23);
}

/** The text cut to the width; empty when not even a few letters fit. */
function fitting(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  const letters = Math.floor(text.length * (width / context.measureText(text).width)) - 1;
  return letters < 3 ? '' : `${text.slice(0, letters)}…`;
}
