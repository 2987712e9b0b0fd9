import { verifyBundle } from '#lib/verify-bundle.ts'
import type { FromWorker } from './messages.ts'

const say = (message: FromWorker) => postMessage(message)

addEventListener('message', (event: MessageEvent<Blob>) => {
  verifyBundle(event.data, (check) => say({ check })).then(
    (report) => say({ report }),
    (error: unknown) => say({ failed: error instanceof Error ? error.message : String(error) }),
  )
})
