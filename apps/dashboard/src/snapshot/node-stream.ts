/** Only the reader of compressed files uses Node's streams. In a browser files arrive decompressed. */
export const Readable = {
  from(): never {
    throw new Error('there is no node:stream in a browser');
  },
};
