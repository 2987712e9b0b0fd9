import type { Caller } from '#server/kernel/auth/principal.ts'
import type { Place } from './canceled.ts'
import type { releasedTools } from './released-tools.ts'

/** One request at an address of the gateway. */
export type Serving = {
  /** Of the operation. */
  name: string
  caller: Caller
  server: string
  served: Awaited<ReturnType<typeof releasedTools.run>>
  /** The client's session says that it opens addresses. */
  opens: boolean
  place: Place
  /** Ends the response without an answer to the request that the client has given up. */
  leave(): void
}
