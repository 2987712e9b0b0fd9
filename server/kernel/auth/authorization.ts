import { runtime } from '#server/kernel/runtime.ts'
import { type AccessToken, readBearer, type VerifiedToken, verifyAccessToken } from './bearer.ts'
import { CredentialRefused } from './challenge.ts'
import { type Proof, type ProvenRequest, usedBefore, verifyProof } from './dpop/proof.ts'
import { deleteExpiredProofs, insertProof } from './dpop/store.ts'
import { acceptedAt, gatewayAt } from './gateway-address.ts'

/**
 * The headers Authorization and DPoP, or the values of a socket's first message, and the request that they came with.
 */
export type Presented = { authorization: string; dpop: string | undefined; request: ProvenRequest }

/** A verified token; if it has a proof, the caller has to spend it before acting on the token. */
export type Presentation = AccessToken & { proof: Proof | undefined }

/**
 * Verifies `Bearer <token>` or, with a proof of the key that the token is bound to, `DPoP <token>` (RFC 9449, section
 * 7.1). Throws ApiError 'unauthorized', and 'unavailable' if the keys of an external issuer could not be loaded.
 */
export async function verifyAuthorization({ authorization, dpop, request }: Presented): Promise<Presentation> {
  const gateway = gatewayAt(request.path, request.query)
  const resources = gateway && acceptedAt(gateway)
  const accessToken = /^dpop ([^\s]+)$/i.exec(authorization)?.[1]
  if (accessToken === undefined) return { ...(await readBearer(authorization, resources)), proof: undefined }
  const verified = await verifyAccessToken(accessToken, 'DPoP', resources)
  const proof = await verifyProof(dpop, { accessToken, confirmation: verified.claims.cnf, request })
  return { ...verified, proof }
}

/**
 * Uses up a proof, on all nodes; a second use is refused. It is recorded in the token's tenant, whichever tenant the
 * request selects, because otherwise the same proof would work once in each tenant.
 */
export async function spendProof(tenantId: string, { digest, expiresAt }: Proof): Promise<void> {
  const first = await runtime().database.inTenant(tenantId, (tx) => insertProof(tx, { tenantId, digest, expiresAt }))
  if (!first) throw usedBefore()
}

/** Removes a tenant's expired proofs. */
export const purgeProofs = (tenantId: string): Promise<void> =>
  runtime().database.inTenant(tenantId, (tx) => deleteExpiredProofs(tx, tenantId))

/** A bound token from an issuer of several tenants has to name its tenant, because its proofs are recorded there. */
export function proofTenantOf({ issuerTenant }: VerifiedToken): string {
  if (issuerTenant !== undefined) return issuerTenant
  throw new CredentialRefused(
    { scheme: 'DPoP', error: 'invalid_token' },
    'The DPoP token is missing, expired or invalid.',
    'a token that is bound to a key does not name a tenant',
  )
}
