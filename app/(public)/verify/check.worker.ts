import { verifyBundle } from '#lib/verify-bundle.ts'
import type { FromWorker } from './messages.ts'

const say = (message: FromWorker) => postMessage(message)

/** Progress is reported at most this often. */
const tellEveryMs = 100

addEventListener('message', (event: MessageEvent<Blob>) => {
  let toldAt = 0
  const progress = (share: number) => {
    if (performance.now() - toldAt < tellEveryMs) return
    toldAt = performance.now()
    say({ share })
  }
  verifyBundle(event.data, (check) => say({ check }), progress).then(
    (report) => say({ report }),
    (error: unknown) => say({ failed: error instanceof Error ? error.message : String(error) }),
  )
})
