import { createPrivateKey, createPublicKey, generateKeyPair, hash, type KeyObject, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { LRUCache } from 'lru-cache'
import { IntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { Vault } from '#server/kernel/vault.ts'
import { findKeys, holdKey, insertKey, retireKey, retireKeysNotOf } from './store.ts'
import { forgetTenantKeys, tenantCipher } from './tenant-keys.ts'

/** The purposes of a tenant's keys: tokens of its realm, signed tree heads, evidence bundles. */
export type SigningPurpose = 'realm' | 'log' | 'evidence'
export type SigningKey = {
  id: string
  algorithm: 'ES256' | 'RS256' | 'EdDSA'
  privateKey: KeyObject
  publicKey: KeyObject
  createdAt: Date
  /** The name under which a log key signs since a restore; undefined before the first one. */
  logName: string | undefined
  /** When the key stopped signing; undefined for the current key. */
  retiredAt: Date | undefined
}

const generate = promisify(generateKeyPair)
const newKeyPair = {
  ES256: () => generate('ec', { namedCurve: 'P-256' }),
  RS256: () => generate('rsa', { modulusLength: 3072 }),
  EdDSA: () => generate('ed25519'),
}

/** Realms sign with the configured algorithm, the log and evidence always with Ed25519. */
const algorithmOf = (purpose: SigningPurpose): SigningKey['algorithm'] =>
  purpose === 'realm' ? runtime().config.tokenAlgorithm : 'EdDSA'

/** The encryption context of a private key under the master key: a key can't be given another name. */
export const signingKeyContext = (tenantId: string, purpose: string, logName: string | null = null): string =>
  `signing_keys/${tenantId}/${purpose}${logName === null ? '' : `/${logName}`}`

/**
 * Creates the current key of `purpose`, in the transaction that creates the tenant. Private keys are stored encrypted
 * under the master key.
 */
export async function createSigningKey(
  tx: Transaction,
  tenantId: string,
  purpose: SigningPurpose,
  logName: string | null = null,
): Promise<void> {
  const algorithm = algorithmOf(purpose)
  const { privateKey, publicKey } = await newKeyPair[algorithm]()
  const encrypted = runtime().vault.encrypt(
    privateKey.export({ type: 'pkcs8', format: 'der' }),
    signingKeyContext(tenantId, purpose, logName),
  )
  await insertKey(tx, {
    tenantId,
    purpose,
    id: newId(),
    algorithm,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: encrypted,
    logName,
  })
}

/**
 * Gives a realm a new key if its current key does not have the configured algorithm (TOKEN_ALGORITHM); the old key
 * still verifies its signatures. Of several nodes, one does it. A tenant without a realm gets no key.
 */
export async function rotateRealmKeyIfNeeded(tx: Transaction, tenantId: string): Promise<void> {
  if (await retireKeysNotOf(tx, tenantId, 'realm', algorithmOf('realm'))) await createSigningKey(tx, tenantId, 'realm')
}

/** Replaces the current key, which still verifies its signatures. A new log key keeps the name of the log unless `logName` is another one. */
export async function rotateSigningKey(
  tx: Transaction,
  tenantId: string,
  purpose: SigningPurpose,
  logName?: string,
): Promise<void> {
  const name = logName ?? (await currentSigningKey(tx, tenantId, purpose)).logName ?? null
  await retireKey(tx, tenantId, purpose)
  await createSigningKey(tx, tenantId, purpose, name)
}

/** Creates the secret that signs the realm's cookies: 32 random bytes, stored encrypted. */
export async function createCookieKey(tx: Transaction, tenantId: string): Promise<void> {
  const privateKey = runtime().vault.encrypt(randomBytes(32), signingKeyContext(tenantId, 'cookies'))
  await insertKey(tx, {
    tenantId,
    purpose: 'cookies',
    id: newId(),
    algorithm: 'HS256',
    publicKey: '',
    privateKey,
    logName: null,
  })
}

/** The realm's cookie secrets, current one first. */
export async function cookieKeys(tx: Transaction, tenantId: string): Promise<Buffer[]> {
  const rows = await findKeys(tx, tenantId, 'cookies')
  return rows.map((row) => runtime().vault.decrypt(row.privateKey, signingKeyContext(tenantId, 'cookies')))
}

/** Every key of `purpose`: the current one first, then retired ones by age. Throws IntegrityFailed for an altered row. */
export async function signingKeys(tx: Transaction, tenantId: string, purpose: SigningPurpose): Promise<SigningKey[]> {
  const rows = await findKeys(tx, tenantId, purpose)
  const keys: SigningKey[] = []
  for (const row of rows) {
    keys.push({
      id: row.id,
      algorithm: signingAlgorithm(tenantId, row),
      ...(await keyPairOf(tx, tenantId, purpose, row)),
      createdAt: row.createdAt,
      logName: row.logName ?? undefined,
      retiredAt: row.retiredAt ?? undefined,
    })
  }
  return keys
}

/** The current signing key. Throws IntegrityFailed if it was deleted, retired or altered outside the server. */
export async function currentSigningKey(
  tx: Transaction,
  tenantId: string,
  purpose: SigningPurpose,
): Promise<SigningKey> {
  const [key] = await signingKeys(tx, tenantId, purpose)
  // A tenant has these keys from its first transaction on, and a rotation replaces them in one.
  if (key === undefined || key.retiredAt !== undefined)
    throw altered(tenantId, purpose, 'The tenant does not have a current key for this purpose.')
  return key
}

/** The current signing key, which is not replaced before the transaction ends. */
export async function heldSigningKey(tx: Transaction, tenantId: string, purpose: SigningPurpose): Promise<SigningKey> {
  await holdKey(tx, tenantId, purpose)
  return await currentSigningKey(tx, tenantId, purpose)
}

type KeyRow = Awaited<ReturnType<typeof findKeys>>[number]

type KeyPair = Pick<SigningKey, 'privateKey' | 'publicKey'>

/**
 * Owned by this module: the keys that a vault has decrypted, by the stored bytes and their context. The rows are read each time, and a
 * checkpoint reads the same key several times.
 */
const decrypted = new WeakMap<Vault, LRUCache<string, KeyPair>>()
const mostDecrypted = 1000

async function keyPairOf(tx: Transaction, tenantId: string, purpose: SigningPurpose, row: KeyRow): Promise<KeyPair> {
  const { vault } = runtime()
  const context = signingKeyContext(tenantId, purpose, row.logName)
  const known = decrypted.get(vault) ?? new LRUCache<string, KeyPair>({ max: mostDecrypted })
  decrypted.set(vault, known)
  const name = `${context} ${hash('sha256', row.privateKey, 'base64')}`
  const before = known.get(name)
  if (before !== undefined) return before
  try {
    const privateKey = createPrivateKey({ key: vault.decrypt(row.privateKey, context), format: 'der', type: 'pkcs8' })
    // Not the column: only the private key is encrypted, and another public key would make foreign signatures valid.
    const pair = { privateKey, publicKey: createPublicKey(privateKey) }
    known.set(name, pair)
    return pair
  } catch (cause) {
    // With another master key nothing of the tenant can be decrypted: the operator's mistake, which throws its own error.
    forgetTenantKeys(tenantId)
    await tenantCipher(tx, tenantId)
    runtime().log.error({ err: cause, tenantId, purpose, keyId: row.id }, 'a signing key can’t be decrypted')
    throw altered(tenantId, row.id, 'It can’t be decrypted with the master key.')
  }
}

function signingAlgorithm(tenantId: string, { id, algorithm }: KeyRow): SigningKey['algorithm'] {
  if (algorithm === 'ES256' || algorithm === 'RS256' || algorithm === 'EdDSA') return algorithm
  throw altered(tenantId, id, `Its algorithm is ${algorithm}.`)
}

/** Signing stops until the operator has restored the row, and an alarm says why. */
const altered = (tenantId: string, id: string, reason: string): IntegrityFailed =>
  new IntegrityFailed({ tenantId, type: 'signing_key', id, reason })
