import { runtime } from '#server/kernel/runtime.ts'
import { type AccessToken, readBearer, type VerifiedToken, verifyAccessToken } from './bearer.ts'
import { CredentialRefused } from './challenge.ts'
import { type Proof, type ProvenRequest, usedBefore, verifyProof } from './dpop/proof.ts'
import { deleteExpiredProofs, insertProof } from './dpop/store.ts'

/** What came in the headers Authorization and DPoP, or in a socket's first message, and with which request. */
export type Presented = { authorization: string; dpop: string | undefined; request: ProvenRequest }

/** A verified token; with a proof, the caller spends it before anything is done for the token. */
export type Presentation = AccessToken & { proof: Proof | undefined }

/**
 * Verifies `Bearer <token>` or, with a proof of the key that the token is bound to, `DPoP <token>` (RFC 9449, section 7.1).
 * Throws ApiError 'unauthorized', and 'unavailable' when a foreign issuer's keys can't be had.
 */
export async function verifyAuthorization({ authorization, dpop, request }: Presented): Promise<Presentation> {
  const accessToken = /^dpop ([^\s]+)$/i.exec(authorization)?.[1]
  if (accessToken === undefined) return { ...(await readBearer(authorization)), proof: undefined }
  const verified = await verifyAccessToken(accessToken, 'DPoP')
  const proof = await verifyProof(dpop, { accessToken, confirmation: verified.claims.cnf, request })
  return { ...verified, proof }
}

/**
 * Uses up a proof, on all nodes; the second use is refused. It is noted in the tenant of the token, whichever tenant the
 * request selects: else the same proof would do once in each.
 */
export async function spendProof(tenantId: string, { digest, expiresAt }: Proof): Promise<void> {
  const first = await runtime().database.inTenant(tenantId, (tx) => insertProof(tx, { tenantId, digest, expiresAt }))
  if (!first) throw usedBefore()
}

/** Removes the proofs of a tenant that nobody would accept any longer. */
export const purgeProofs = (tenantId: string): Promise<void> =>
  runtime().database.inTenant(tenantId, (tx) => deleteExpiredProofs(tx, tenantId))

/** A bound token of an issuer of several tenants must say which one it is of: its proofs are noted there. */
export function proofTenantOf({ issuerTenant }: VerifiedToken): string {
  if (issuerTenant !== undefined) return issuerTenant
  throw new CredentialRefused(
    { scheme: 'DPoP', error: 'invalid_token' },
    'The DPoP token is missing, expired or invalid.',
    'a token that is bound to a key names no tenant',
  )
}
