/** Colours of the terminal, or none when the output is not one. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
}

const wrap =
  (open: number, close: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001B[${open}m${text}\u001B[${close}m`;

export const colours: Paint = {
  bold: wrap(1, 22),
  dim: wrap(2, 22),
  red: wrap(31, 39),
  yellow: wrap(33, 39),
  green: wrap(32, 39),
};

const same = (text: string): string => text;
export const plain: Paint = { bold: same, dim: same, red: same, yellow: same, green: same };
