/** Throws for every file path, because a worker reads only streams. */
function absent(): never {
  throw new Error('there are no files in a browser');
}

export const closeSync = absent;
export const constants = { O_RDONLY: 0, O_NONBLOCK: 0 };
export const createReadStream = absent;
export const fstatSync = absent;
export const openSync = absent;
export const read = absent;
export const readSync = absent;
export const statSync = absent;
