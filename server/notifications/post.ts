import { ApiError } from '#lib/errors.ts'
import { type ChannelKind, whyNotAddress } from '#lib/schemas/notifications/channel-address.ts'
import { AddressRefused, NotReached, openOutbound, whyNotCalled } from '#server/kernel/net/outbound.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** `again`: it can be sent again without a person. `gone`: the address will never take anything again. */
export type Outcome = {
  delivery: 'delivered' | 'failed' | 'unknown' | 'again'
  error: string | null
  gone?: true
}

/** Milliseconds of silence, and of the whole attempt. */
const idleMs = 10_000
const wholeMs = 15_000
const maxBytes = 64 * 1024

/** Throws for an address that no message of a channel could ever be sent to: a person who enters it must learn that at once. */
export function requireAddress(kind: ChannelKind, address: string): void {
  const { allowedPrivateHosts } = runtime().config
  const message =
    whyNotAddress(kind, address) ?? (kind === 'mail' ? undefined : whyNotCalled(new URL(address), allowedPrivateHosts))
  if (message !== undefined)
    throw new ApiError('validation_failed', message, { issues: [{ path: 'address', message }] })
}

/**
 * Posts a message once. `mayRepeat`: the receiver recognises a message that arrives twice by its id; for others, no answer after
 * the body was sent is unknown, and only a person sends it again.
 */
export async function post(
  address: string,
  body: string,
  headers: Record<string, string>,
  { mayRepeat }: { mayRepeat: boolean },
): Promise<Outcome> {
  const { config, cut } = runtime()
  const outbound = openOutbound({ allowed: config.allowedPrivateHosts, maxBytes, idleMs })
  try {
    const answer = await outbound.fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Countersign', ...headers },
      body,
      signal: AbortSignal.any([cut, AbortSignal.timeout(wholeMs)]),
    })
    // Whatever follows, the receiver has answered.
    await answer.body?.cancel().catch(() => undefined)
    return outcomeOf(answer.status, mayRepeat)
  } catch (error) {
    if (error instanceof AddressRefused) return { delivery: 'failed', error: error.message }
    if (error instanceof NotReached) return { delivery: 'again', error: error.message }
    return { delivery: mayRepeat ? 'again' : 'unknown', error: 'No answer came after the message was sent.' }
  } finally {
    await outbound.close()
  }
}

function outcomeOf(status: number, mayRepeat: boolean): Outcome {
  if (status >= 200 && status < 300) return { delivery: 'delivered', error: null }
  const error = `The address answered ${status}.`
  if (status === 410) return { delivery: 'failed', error, gone: true }
  if (mayRepeat || status === 429) return { delivery: 'again', error }
  // Of a proxy, which may have passed the message on. A message that arrives twice is not recognised.
  return { delivery: status >= 500 ? 'unknown' : 'failed', error }
}
