import type { Kernel } from './kernel.ts';
import { typescriptKernel } from './typescript-kernel.ts';
import { hasWasm, wasmKernel } from './wasm-kernel.ts';

/** A WebAssembly memory ends at 4 GiB; larger analyses run on plain arrays. */
const maxWasmBytes = 4 * 1024 ** 3 - (64 << 20);

/** The kernel for an analysis that needs this many bytes. */
export function chooseKernel(wanted: 'auto' | 'wasm' | 'typescript', bytes: number): Kernel {
  if (wanted === 'typescript' || bytes > maxWasmBytes) return typescriptKernel();
  return wanted === 'wasm' || hasWasm() ? wasmKernel() : typescriptKernel();
}
