import { tracked } from '@trpc/server'
import { ApiError } from '#lib/errors.ts'
import type { Caller } from '../auth/principal.ts'
import { watchCaller } from '../auth/watch.ts'
import { asTrpcError } from '../procedure-error.ts'
import { runtime } from '../runtime.ts'

/** A stream over HTTP ends like a socket does (socket.ts): when the token expires and when the membership changes. */
export async function* follow<E>(
  events: AsyncIterable<[id: string, event: E]>,
  { caller, socket }: { caller: Caller; socket?: boolean },
  ended: AbortController,
) {
  let lost: ApiError | undefined
  const end = (error: ApiError) => {
    lost = error
    ended.abort()
  }
  const stop = socket === true ? undefined : watchCaller(caller, end)
  // A socket is closed as a whole, with a code that says the same (server/socket.ts).
  const { stopping } = runtime()
  const leave = () => end(new ApiError('unavailable', 'This process is stopping. Connect again.'))
  if (socket !== true) stopping.addEventListener('abort', leave)
  try {
    for await (const [id, event] of events) {
      if (lost !== undefined) break
      yield tracked(id, event)
    }
    if (lost !== undefined) throw lost
  } catch (error) {
    throw asTrpcError(error)
  } finally {
    stop?.()
    stopping.removeEventListener('abort', leave)
  }
}
