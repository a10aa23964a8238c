declare module "lz4js" {
  /** Decompresses a frame. @param size bytes of the result */
  export function decompress(frame: Uint8Array, size: number): Uint8Array;
}
