/** Compressed files are read through the browser's own DecompressionStream before they come here. */
export function createGunzip(): never {
  throw new Error('there is no node:zlib in a browser');
}

export const createZstdDecompress = undefined;
