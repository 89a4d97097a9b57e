/** The part of WebAssembly that is used here; neither the ECMAScript library nor Node's types declare it. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface WasmModule {
  readonly __module: never;
}

interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Memory: new (limits: { initial: number; maximum: number }) => WasmMemory;
  readonly Instance: new (
    module: WasmModule,
    imports: object,
  ) => { readonly exports: Record<string, unknown> };
}

/** Undefined where the runtime was started without it (`--jitless`). */
export const webAssembly = (globalThis as unknown as { WebAssembly?: WebAssemblyApi }).WebAssembly;
