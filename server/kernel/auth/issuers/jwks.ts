import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { type Algorithm, algorithmsOf } from './algorithms.ts'
import { FetchError, fetchJson } from './fetch-json.ts'

/** A public key of an issuer and the algorithms that it may verify. */
export type IssuerKey = { key: KeyObject; algorithms: readonly Algorithm[] }
/** Keyed by key id. */
export type IssuerKeys = ReadonlyMap<string, IssuerKey>

const maxKeys = 100
const maxKeyIdLength = 256
/** JWK members of a private or shared key. A key that was published with one is not trusted. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']

/** The address of the keys according to `issuer`. Without a discovery document, Keycloak's path is used. */
export async function discoverJwks(issuer: string): Promise<string> {
  const base = issuer.replace(/\/$/, '')
  const document = await fetchJson(`${base}/.well-known/openid-configuration`).catch((error: unknown) => {
    if (error instanceof FetchError && error.status === 404) return undefined
    throw error
  })
  if (document === undefined) return `${base}/protocol/openid-connect/certs`
  const { issuer: named, jwks_uri: uri } = isObject(document) ? document : {}
  if (named !== issuer) throw new FetchError(`the discovery document of ${issuer} belongs to another issuer`)
  if (typeof uri !== 'string' || !URL.canParse(uri))
    throw new FetchError(`the discovery document of ${issuer} does not contain the address of its keys`)
  return uri
}

/** The keys at `uri` that can verify signatures. Throws FetchError if the document is not a key set. */
export async function fetchJwks(uri: string): Promise<IssuerKeys> {
  const document = await fetchJson(uri)
  const keys = isObject(document) ? document.keys : undefined
  if (!Array.isArray(keys) || keys.length > maxKeys)
    throw new FetchError(`${uri} is not a set of at most ${maxKeys} keys`)
  return keysOf(keys)
}

/** Leaves out unusable keys, and key ids with two keys, because either could be meant. */
export function keysOf(jwks: readonly unknown[]): IssuerKeys {
  const found = new Map<string, IssuerKey>()
  const ambiguous = new Set<string>()
  for (const jwk of jwks) {
    if (!isObject(jwk) || typeof jwk.kid !== 'string' || jwk.kid === '' || jwk.kid.length > maxKeyIdLength) continue
    if (found.has(jwk.kid)) ambiguous.add(jwk.kid)
    const key = keyOf(jwk)
    if (key !== undefined) found.set(jwk.kid, key)
  }
  for (const keyId of ambiguous) found.delete(keyId)
  return found
}

function keyOf(jwk: Record<string, unknown>): IssuerKey | undefined {
  if (jwk.use !== undefined && jwk.use !== 'sig') return undefined
  if (Array.isArray(jwk.key_ops) && !jwk.key_ops.includes('verify')) return undefined
  if (secretMembers.some((member) => Object.hasOwn(jwk, member))) return undefined
  const key = publicKeyOf(jwk)
  if (key === undefined) return undefined
  const algorithms = algorithmsOf(key).filter((algorithm) => jwk.alg === undefined || jwk.alg === algorithm)
  return algorithms.length === 0 ? undefined : { key, algorithms }
}

function publicKeyOf(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    // Key types that Node does not support are ignored; the rest of the set is still used.
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
