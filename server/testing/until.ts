import { setTimeout as delay } from 'node:timers/promises'

/** Calls `read` every `everyMs` until it returns a value, and throws after `timeoutMs`. */
export async function until<T>(
  read: () => Promise<T | undefined>,
  what: string,
  timeoutMs = 30_000,
  everyMs = 50,
): Promise<T> {
  const end = Date.now() + timeoutMs
  for (;;) {
    const value = await read()
    if (value !== undefined) return value
    if (Date.now() > end) throw new Error(`${what} did not happen within ${timeoutMs} ms.`)
    await delay(everyMs)
  }
}
