import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { CompactSign, calculateJwkThumbprint, exportJWK, type JWK } from 'jose'

/** A caller's key, and DPoP proofs that are signed with it (RFC 9449). */
export type Prover = {
  privateKey: KeyObject
  jwk: JWK
  thumbprint: string
  /** Returns a proof for this request, with changes. Members that are set to undefined are omitted. */
  prove(request: ProofOf, changes?: ProofChanges): Promise<string>
}

type ProofOf = { method?: string; url: string; accessToken?: string }
type ProofChanges = { header?: Record<string, unknown>; claims?: Record<string, unknown>; key?: KeyObject }

export async function newProver(alg: 'ES256' | 'EdDSA' = 'ES256'): Promise<Prover> {
  const { privateKey, publicKey } =
    alg === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  const jwk = await exportJWK(publicKey)
  return {
    privateKey,
    jwk,
    thumbprint: await calculateJwkThumbprint(jwk),
    prove({ method = 'GET', url, accessToken }, { header = {}, claims = {}, key = privateKey } = {}) {
      const ath = accessToken === undefined ? {} : { ath: createHash('sha256').update(accessToken).digest('base64url') }
      const payload = {
        jti: randomUUID(),
        htm: method,
        htu: url,
        iat: Math.floor(Date.now() / 1000),
        ...ath,
        ...claims,
      }
      return new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader(JSON.parse(JSON.stringify({ alg, typ: 'dpop+jwt', jwk, ...header })))
        .sign(key)
    },
  }
}
