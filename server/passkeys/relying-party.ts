import { isIP } from 'node:net'
import { ApiError } from '#lib/errors.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** Accepted COSE algorithms: Ed25519, ES256, RS256. */
export const algorithms = [-8, -7, -257]

/** How long a person has to complete registration or confirmation, in seconds. */
export const ceremonySeconds = 300

/** The site that passkeys belong to: the host of BASE_URL. Devices do not support IP addresses. */
export function relyingParty(): { id: string; name: string; origin: string } {
  const { hostname, origin } = new URL(runtime().config.baseUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    throw new ApiError('conflict', 'Passkeys require a host name, but BASE_URL contains an IP address.')
  return { id: hostname, name: 'Countersign', origin }
}
