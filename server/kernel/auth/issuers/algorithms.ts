import type { KeyObject } from 'node:crypto'

/** Public-key JWS algorithms that an issuer may be configured with (RFC 7518, RFC 8037, RFC 9864). */
export const asymmetricAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

export type Algorithm = (typeof asymmetricAlgorithms)[number]

const rsa: readonly Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
const ofCurve: Readonly<Record<string, Algorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }
/** Bits. A shorter RSA key is not accepted (RFC 7518, section 3.3). */
const minModulus = 2048

/** The algorithms that `key` can verify, so that a token's `alg` never leads to another use of the key. */
export function algorithmsOf(key: KeyObject): readonly Algorithm[] {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return modulusLength < minModulus ? [] : rsa
    case 'ec': {
      const algorithm = Object.hasOwn(ofCurve, namedCurve) ? ofCurve[namedCurve] : undefined
      return algorithm === undefined ? [] : [algorithm]
    }
    case 'ed25519':
      return ['EdDSA', 'Ed25519']
    default:
      return []
  }
}
