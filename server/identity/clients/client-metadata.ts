import { z } from 'zod'
import { textFlaw } from '#server/kernel/input.ts'

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

const storable = (text: string): boolean => textFlaw(text) === undefined

const RedirectUri = z
  .string()
  .max(2000)
  .refine((text) => {
    const url = URL.parse(text)
    if (url === null || url.hash !== '' || text.includes('#') || url.username !== '' || url.password !== '')
      return false
    if (!storable(text)) return false
    return url.protocol === 'https:'
      ? !loopback.has(url.hostname)
      : url.protocol === 'http:' && loopback.has(url.hostname)
  }, 'A redirect must be an https address, or http at a loopback address.')

/** What counts of a client of another vendor, from its document or its registration; everything else has no effect here. */
export const ClientMetadata = z
  .object({
    client_name: z.string().max(200).refine(storable, 'The name contains a character that can’t be stored.').optional(),
    redirect_uris: z.array(RedirectUri).min(1).max(20),
    // A program on someone's computer can't keep a secret, so none is accepted.
    token_endpoint_auth_method: z.literal('none', 'Only public clients are accepted.').default('none'),
    grant_types: z.array(z.string()).max(20).default(['authorization_code']),
    response_types: z.array(z.string()).max(20).default(['code']),
    client_secret: z.undefined('A public client does not have a secret.').optional(),
  })
  .refine(
    ({ grant_types: grants, response_types: responses }) =>
      grants.includes('authorization_code') && responses.includes('code'),
    'The client does not use authorization codes.',
  )
export type ClientMetadata = z.infer<typeof ClientMetadata>

type Foreign = { clientId: string; name: string | undefined; redirectUris: string[]; renews: boolean }

/**
 * A client of another vendor for the identity provider's library. Native, so that any port of a loopback redirect is accepted
 * (RFC 8252, section 7.3).
 */
export const foreignClient = ({ clientId, name, redirectUris, renews }: Foreign) => ({
  client_id: clientId,
  ...(name === undefined ? {} : { client_name: name }),
  redirect_uris: redirectUris,
  application_type: 'native' as const,
  token_endpoint_auth_method: 'none' as const,
  grant_types: ['authorization_code', ...(renews ? ['refresh_token'] : [])],
  response_types: ['code' as const],
  response_modes: ['query' as const],
})

/** Whether the client may renew its tokens. */
export const renews = ({ grant_types: grants }: ClientMetadata): boolean => grants.includes('refresh_token')
