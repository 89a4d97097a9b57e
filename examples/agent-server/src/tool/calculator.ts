import type { Tool } from './tool.ts';

/** Arithmetic with + - * / and parentheses, by recursive descent; a model's text must not be passed to `eval`. */
export function calculate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/()]|\S/g) ?? [];
  let at = 0;
  const fail = (): never => {
    const found = tokens[at] ?? 'the end';
    throw new Error(
      `"${expression}" is no arithmetic: unexpected ${found}. Accepted: numbers, + - * / and ().`,
    );
  };
  const factor = (): number => {
    const token = tokens[at];
    if (token === '-') {
      at += 1;
      return -factor();
    }
    if (token === '(') {
      at += 1;
      const inner = sum();
      if (tokens[at] !== ')') fail();
      at += 1;
      return inner;
    }
    if (token === undefined || !/^\d/.test(token)) return fail();
    at += 1;
    return Number(token);
  };
  const product = (): number => {
    let value = factor();
    while (tokens[at] === '*' || tokens[at] === '/') {
      at += 1;
      value = tokens[at - 1] === '*' ? value * factor() : value / factor();
    }
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-') {
      at += 1;
      value = tokens[at - 1] === '+' ? value + product() : value - product();
    }
    return value;
  };
  const value = sum();
  if (at < tokens.length) fail();
  return value;
}

export const calculator: Tool = {
  name: 'calculator',
  execute: async (input) => String(calculate(input['expression'] ?? '')),
};
