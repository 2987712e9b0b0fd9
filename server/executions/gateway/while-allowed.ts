import type { Caller } from '#server/kernel/auth/principal.ts'
import { watchCaller } from '#server/kernel/auth/watch.ts'
import { runtime } from '#server/kernel/runtime.ts'

/**
 * A signal for work that lasts longer than a request: it aborts when the client leaves (`left`), the process stops, or the caller
 * loses its access. `requireAccess` throws the reason in the last case. Call `end` after the work.
 */
export function whileAllowed(
  caller: Caller,
  left: AbortSignal,
): { signal: AbortSignal; requireAccess(): void; end(): void } {
  const lost = new AbortController()
  const end = watchCaller(caller, (error) => lost.abort(error))
  return {
    signal: AbortSignal.any([left, runtime().stopping, lost.signal]),
    requireAccess: () => lost.signal.throwIfAborted(),
    end,
  }
}
