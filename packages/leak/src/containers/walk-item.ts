import { classOf } from './container-name.ts';
import type { PathStep } from './found-container.ts';

/** An object that a walk has reached, with the way to it. */
export interface WalkItem {
  readonly value: object;
  readonly via: string;
  readonly from: WalkItem | undefined;
  readonly depth: number;
  /** True when it was reached through a function of the program. */
  readonly isProgram: boolean;
}

export function pathOf(item: WalkItem): readonly PathStep[] {
  const steps: PathStep[] = [];
  for (let at: WalkItem | undefined = item; at !== undefined; at = at.from)
    steps.unshift({ via: at.via, name: classOf(at.value) });
  return steps;
}

/** A part of the program as the first step of paths. */
export function partOf(of: string): WalkItem {
  return { value: new Part(of), via: of, from: undefined, depth: 0, isProgram: true };
}

class Part {
  readonly of: string;

  constructor(of: string) {
    this.of = of;
  }
}
