/** A fault of the input that a pass met; who reads the file adds where. */
export class BadInput extends Error {
  readonly fault:
    | { readonly kind: 'header'; readonly problem: string }
    | { readonly kind: 'index'; readonly what: string; readonly value: number; readonly limit: number };

  constructor(fault: BadInput['fault']) {
    super(fault.kind);
    this.fault = fault;
  }
}
