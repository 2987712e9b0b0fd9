import { runtime } from '#server/kernel/runtime.ts'
import type { ArchiveStore } from './archives.ts'
import { bucketAt } from './bucket.ts'
import { folder } from './folder.ts'

/** The store that new archives go to. */
export const currentStore = (): ArchiveStore => {
  const { exportStore } = runtime().config
  return exportStore === undefined ? folder : bucketAt(exportStore)
}

/** The store of a place, also after the setting has changed. Archives without a place are from before there were places. */
export const storeOf = (place: string | null): ArchiveStore =>
  place?.startsWith('s3://') === true ? bucketAt(bucketIn(place)) : folder

const bucketIn = (place: string) => ({ bucket: new URL(place).hostname, prefix: '' })
