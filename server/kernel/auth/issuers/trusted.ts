import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { hasOpenPort } from '#lib/text/blocked-port.ts'
import { type Config, ConfigError, isSafeToFetch } from '#server/kernel/config.ts'
import { asymmetricAlgorithms } from './algorithms.ts'

const text = z.string().min(1).max(256)
const address = z
  .url({ protocol: /^https?$/ })
  .max(512)
  .refine(isSafeToFetch, 'must be https, or http on the loopback address')
  .refine((value) => !/[?#@\s]/.test(value), 'must not have a query, fragment or user')
const clients = z.array(text).max(100)

/** An issuer of tokens in addition to the realms at AUTH_URL, as the operator configures it. */
const TrustedIssuer = z
  .strictObject({
    /** Exactly as in the tokens' `iss`. */
    issuer: address,
    /** The required audience in `aud`. */
    audience: text,
    /** External id of the one tenant that the issuer is trusted for. */
    tenant: text.optional(),
    /** The claim with the tenant's external id, for an issuer that serves several tenants. */
    tenantClaim: text.optional(),
    /** Clients whose tokens are accepted: `azp`, otherwise `client_id`. */
    clientIds: clients.min(1),
    /** Clients that are machines, even if the tokens' shape does not show it. */
    serviceClientIds: clients.default([]),
    algorithms: z.array(z.enum(asymmetricAlgorithms)).min(1),
    /** Accepted header types; Keycloak uses `JWT`. */
    tokenTypes: z
      .array(z.enum(['at+jwt', 'JWT']))
      .min(1)
      .default(['at+jwt']),
    /** Address of the keys; by default the one in its discovery document. */
    jwksUri: address.optional(),
    /** The claim with the subject of people and machines: one that never changes, and that no one else ever gets. */
    subjectClaim: text.default('sub'),
    /** SCIM manages the members of this issuer. By default, of the tenant's only external issuer. */
    scim: z.boolean().default(false),
  })
  .refine(({ tenant, tenantClaim }) => (tenant === undefined) !== (tenantClaim === undefined), {
    message: 'name either tenant or tenantClaim',
    path: ['tenant'],
  })
  .refine(({ issuer, jwksUri }) => hasOpenPort(jwksUri ?? issuer), {
    message: 'has a port that fetch refuses, so the keys can’t be read',
    path: ['jwksUri'],
  })
  .refine(({ tenant, scim }) => !scim || tenant !== undefined, {
    message: 'is possible only with tenant, because SCIM manages the members of one tenant',
    path: ['scim'],
  })

const TrustedIssuersFile = z.strictObject({ issuers: z.array(TrustedIssuer).max(100) })

export type TrustedIssuer = z.infer<typeof TrustedIssuer>
export type TrustedIssuers = readonly TrustedIssuer[]

/** Reads TRUSTED_ISSUERS; an empty list without it. Throws ConfigError, which names the file and the problem in it. */
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
  if (twice !== undefined) throw new ConfigError(`TRUSTED_ISSUERS: ${path} contains ${twice} more than once.`)
  const managed = issuers.filter(({ scim }) => scim).map(({ tenant }) => tenant)
  const rivals = managed.find((tenant, index) => managed.indexOf(tenant) !== index)
  if (rivals !== undefined)
    throw new ConfigError(`TRUSTED_ISSUERS: ${path} marks more than one issuer of ${rivals} with "scim": true.`)
  const own = names.find((name) => identity === 'embedded' && name.startsWith(`${authUrl}/realms/`))
  if (own !== undefined)
    throw new ConfigError(`TRUSTED_ISSUERS: ${path} contains ${own}, which is a realm of this server.`)
  return issuers
}

function parse(path: string, content: string): z.infer<typeof TrustedIssuersFile> {
  try {
    return TrustedIssuersFile.parse(JSON.parse(content))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : 'it is not JSON.'
    const shape =
      '{"issuers": [{issuer, audience, tenant | tenantClaim, clientIds, algorithms, tokenTypes?, serviceClientIds?, jwksUri?, subjectClaim?, scim?}]}'
    throw new ConfigError(`TRUSTED_ISSUERS: ${path} must contain ${shape}: ${why}`, { cause })
  }
}
