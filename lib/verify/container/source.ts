import type { Bytes } from '../bytes.ts'

/** A file that is read in parts: a Blob of a browser, or a file of Node (programs/file.ts). Sizes and positions are in bytes. */
export type Source = {
  readonly size: number
  /** Both positions are from 0 to the size. */
  slice(start: number, end?: number): Source
  arrayBuffer(): Promise<ArrayBuffer>
  stream(): ReadableStream<Bytes>
}
