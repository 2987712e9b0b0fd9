import { z } from 'zod'
import { type Finding, failed, ok, warning } from './findings.ts'

/** What the server saw of the request that this command sent to its public address. */
export const Seen = z.object({
  /** The address that the connection came from. */
  peer: z.string(),
  /** The peer is in TRUSTED_PROXIES. */
  trusted: z.boolean(),
  /** The address that counts as the client's. */
  address: z.string(),
  forwarded: z.string().nullable(),
  xForwardedFor: z.string().nullable(),
  /** A mark of the database that it works on. A server of a version before does not say it. */
  database: z.string().optional(),
})
export type Seen = z.infer<typeof Seen>

/** An address for documentation (RFC 5737), which this command claims to have: a proxy must not let that count. */
const claimed = '203.0.113.77'
export const claims = { forwarded: `for=${claimed}`, 'x-forwarded-for': claimed }

/** What the headers of the proxies do with the address of a client. `local`: BASE_URL is an address of this machine. */
export function checkProxies({ peer, trusted, address, forwarded, xForwardedFor }: Seen, local: boolean): Finding {
  const unchanged = xForwardedFor === claimed
  const passesForwarded = forwarded?.includes(claimed) === true
  if (unchanged && local)
    return trusted
      ? warning(
          'Address',
          `requests from this machine (${peer}) come straight to the server and count as a proxy's.`,
          'To check the proxy, set BASE_URL to its public address.',
        )
      : ok('Address', `requests arrive without a proxy, from ${peer}`)
  if (unchanged)
    return trusted
      ? failed(
          'Address',
          `a caller can choose its address: the proxy at ${peer} passes X-Forwarded-For on as it came.`,
          'Let the proxy append the address of its caller; docs/deploy has nginx and Caddy.',
        )
      : warning(
          'Address',
          `the server sees this machine as ${peer}, and no proxy that names its callers.`,
          `If that is a proxy, let it set X-Forwarded-For, and set TRUSTED_PROXIES=${peer}.`,
        )
  if (!trusted)
    return failed(
      'Address',
      `the proxy at ${peer} is not in TRUSTED_PROXIES: everyone shares its address and the limits for it.`,
      `Set TRUSTED_PROXIES=${peer}, and restart the server.`,
    )
  if (passesForwarded)
    return failed(
      'Address',
      `the proxy at ${peer} passes a caller's header Forwarded on: a caller can hide behind the proxy's address.`,
      'Let the proxy remove the header; docs/deploy has nginx and Caddy.',
    )
  if (address === peer)
    return failed(
      'Address',
      `the proxy at ${peer} names no address of its caller: everyone shares its address and the limits for it.`,
      'Let the proxy append the address of its caller to X-Forwarded-For; docs/deploy has nginx and Caddy.',
    )
  return address === claimed
    ? warning(
        'Address',
        'this machine is in TRUSTED_PROXIES, so what it says of its callers counts.',
        'To check the proxy, run this command on a machine that is not.',
      )
    : ok('Address', `through the proxy at ${peer}, the server sees this machine as ${address}`)
}
