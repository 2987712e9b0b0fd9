import { type SessionEvent, WatchInput } from '#lib/schemas/tenants.ts'
import { openWakes } from '#server/kernel/db/wakes.ts'
import { subscription } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'

const heartbeatMs = 15_000

/**
 * session.watch: reports changes of the caller's membership, so that the client reads session.me again. Like every
 * stream it ends when the membership is suspended or removed or has lost a role.
 */
export const watch = subscription({
  permission: 'any',
  input: WatchInput,
  async *run({ principal, signal }): AsyncGenerator<[string, SessionEvent]> {
    const wakes = openWakes(runtime().listener, 'member', principal.memberId, signal)
    const event = (type: SessionEvent['type']): [string, SessionEvent] => {
      const at = new Date().toISOString()
      return [at, { type, at }]
    }
    try {
      yield event('watching')
      while (!signal.aborted) {
        const cause = await wakes.next(heartbeatMs)
        if (!signal.aborted) yield event(cause === 'timeout' ? 'heartbeat' : 'changed')
      }
    } finally {
      wakes.close()
    }
  },
})
