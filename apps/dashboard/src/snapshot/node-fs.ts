/** A worker reads streams only; whoever asks for a file by path gets this answer. */
function absent(): never {
  throw new Error('there are no files in a browser');
}

export const closeSync = absent;
export const createReadStream = absent;
export const fstatSync = absent;
export const openSync = absent;
export const readSync = absent;
export const statSync = absent;
