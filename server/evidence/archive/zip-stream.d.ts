// zip-stream 7 doesn't include types. These are the parts that Countersign uses.
declare module 'zip-stream' {
  import type { Readable, Transform } from 'node:stream'

  export default class ZipStream extends Transform {
    constructor(options?: { forceZip64?: boolean; zlib?: { level?: number; chunkSize?: number } })
    /** One entry at a time: the next may begin after `callback`. */
    entry(
      source: Readable,
      data: { name: string; date: Date; mode: number },
      callback: (error: Error | null) => void,
    ): this
    finalize(): void
    getBytesWritten(): number
  }
}
