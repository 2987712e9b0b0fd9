import { isIP } from 'node:net'
import { ApiError } from '#lib/errors.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** COSE algorithms that are taken: Ed25519, ES256, RS256. */
export const algorithms = [-8, -7, -257]

/** For how long a person may be at it, in seconds. */
export const ceremonySeconds = 300

/** What a passkey belongs to: the host of BASE_URL. Devices have none for an address without a name. */
export function relyingParty(): { id: string; name: string; origin: string } {
  const { hostname, origin } = new URL(runtime().config.baseUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    throw new ApiError('conflict', 'A passkey needs a host name, and BASE_URL holds an address.')
  return { id: hostname, name: 'Countersign', origin }
}
