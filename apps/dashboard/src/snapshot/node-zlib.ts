/** Not used: the browser's own DecompressionStream decompresses files first. */
export function createGunzip(): never {
  throw new Error('there is no node:zlib in a browser');
}

export const createZstdDecompress = undefined;
