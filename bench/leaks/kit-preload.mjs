/** Loaded before a driver of the corpus: its harness is replaced by one that hands each step to the test kit. */
import { register } from 'node:module';

const own = new URL('./kit-harness.mjs', import.meta.url).href;
const hooks = `
export async function resolve(specifier, context, next) {
  if (/lib\\/harness\\.mjs$/.test(specifier) && context.parentURL !== ${JSON.stringify(own)})
    return { url: ${JSON.stringify(own)}, shortCircuit: true };
  return next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
