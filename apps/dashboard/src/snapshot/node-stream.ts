/** Only the reader of compressed files makes streams of Node. In a browser they come decompressed. */
export const Readable = {
  from(): never {
    throw new Error('there is no node:stream in a browser');
  },
};
