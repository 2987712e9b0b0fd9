import { AsyncResource } from 'node:async_hooks'

/** A shared run belongs to none of those who asked for it. */
const outside = new AsyncResource('shared run')

// Owned by this module: what has been asked in this turn of the event loop and has not begun.
const asked = new Map<string, Promise<unknown>>()

/**
 * Runs `work` once for all who ask for the same `key` in one turn of the event loop, such as the followers whom one notification
 * wakes. It begins after the last of them has asked, so nothing that was committed before a call is missing in its answer. The key
 * must name everything that the work depends on, the tenant too, and what it returns must not be changed by those who get it.
 */
export function sharedInTick<T>(key: string, work: () => Promise<T>): Promise<T> {
  const same = asked.get(key)
  if (same !== undefined) return same as Promise<T>
  const answer = new Promise<void>(process.nextTick).then(() => {
    asked.delete(key)
    return outside.runInAsyncScope(work)
  })
  asked.set(key, answer)
  return answer
}
