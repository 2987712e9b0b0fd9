import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Config, ConfigError, isSafeToFetch } from '#server/kernel/config.ts'
import { asymmetricAlgorithms } from './algorithms.ts'

const text = z.string().min(1).max(256)
const address = z
  .url({ protocol: /^https?$/ })
  .max(512)
  .refine(isSafeToFetch, 'must be https, or http on the loopback address')
  .refine((value) => !/[?#@\s]/.test(value), 'must have no query, fragment or user')
const clients = z.array(text).max(100)

/** One issuer of tokens besides the realms at AUTH_URL, as the operator describes it. */
const TrustedIssuer = z
  .strictObject({
    /** Exactly as tokens say it in `iss`. */
    issuer: address,
    /** What `aud` must hold. */
    audience: text,
    /** External id of the one tenant that the issuer speaks for. */
    tenant: text.optional(),
    /** The claim with the tenant's external id, for an issuer that speaks for several. */
    tenantClaim: text.optional(),
    /** Clients whose tokens are accepted: `azp`, else `client_id`. */
    clientIds: clients.min(1),
    /** Those of them that are machines, beyond what a token's shape says. */
    serviceClientIds: clients.default([]),
    algorithms: z.array(z.enum(asymmetricAlgorithms)).min(1),
    /** Accepted header types; `JWT` is what Keycloak writes. */
    tokenTypes: z
      .array(z.enum(['at+jwt', 'JWT']))
      .min(1)
      .default(['at+jwt']),
    /** Where its keys are; by default what its discovery document says. */
    jwksUri: address.optional(),
  })
  .refine(({ tenant, tenantClaim }) => (tenant === undefined) !== (tenantClaim === undefined), {
    message: 'name either tenant or tenantClaim',
    path: ['tenant'],
  })

const TrustedIssuersFile = z.strictObject({ issuers: z.array(TrustedIssuer).max(100) })

export type TrustedIssuer = z.infer<typeof TrustedIssuer>
export type TrustedIssuers = readonly TrustedIssuer[]

/** Reads TRUSTED_ISSUERS; none without it. Throws ConfigError, which names the file and what is wrong in it. */
export async function loadTrustedIssuers({
  trustedIssuersFile: path,
  authUrl,
  identity,
}: Config): Promise<TrustedIssuers> {
  if (path === undefined) return []
  const content = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ConfigError(`TRUSTED_ISSUERS must be the path of a JSON file; ${path} can't be read.`, { cause })
  })
  const { issuers } = parse(path, content)
  const names = issuers.map(({ issuer }) => issuer)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new ConfigError(`TRUSTED_ISSUERS: ${path} names ${twice} twice.`)
  const own = names.find((name) => identity === 'embedded' && name.startsWith(`${authUrl}/realms/`))
  if (own !== undefined) throw new ConfigError(`TRUSTED_ISSUERS: ${path} names ${own}, a realm of this server itself.`)
  return issuers
}

function parse(path: string, content: string): z.infer<typeof TrustedIssuersFile> {
  try {
    return TrustedIssuersFile.parse(JSON.parse(content))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : 'it is not JSON.'
    const shape = '{"issuers": [{issuer, audience, tenant | tenantClaim, clientIds, algorithms}]}'
    throw new ConfigError(`TRUSTED_ISSUERS: ${path} must hold ${shape}: ${why}`, { cause })
  }
}
