import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashInTurn } from '#server/identity/strangers/turns.ts'

/**
 * Argon2id with OWASP's second recommended setting: 19 MiB, two passes, one lane; about 40 ms on a thread of the pool.
 */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const
const saltLength = 16
const hashLength = 32

/** Longest password that is hashed, in bytes of UTF-8. */
const maxLength = 1024

type Hash = { memory: number; passes: number; parallelism: number; salt: Buffer; hash: Buffer }

/**
 * The hash of `password` as a PHC string: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. For callers that may set a
 * password. Throws OverloadError when too many of them are waiting.
 */
export async function hashPassword(password: string): Promise<string> {
  if (Buffer.byteLength(password) > maxLength) throw new Error(`A password can have at most ${maxLength} bytes.`)
  const salt = randomBytes(saltLength)
  const hash = await hashInTurn(['link'], () => derive(password, { ...cost, salt, hash: Buffer.alloc(hashLength) }))
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`
}

/**
 * Whether `password` matches `stored`. Without `stored` (unknown user) it does the same work and returns false, so that
 * the response time does not reveal which user names exist. The caller waits for its turn first (hashInTurn).
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const expected = stored === undefined ? unknownUser : parsePhc(stored)
  const fits = Buffer.byteLength(password) <= maxLength
  const actual = await derive(fits ? password : '', expected)
  return timingSafeEqual(actual, expected.hash) && fits && stored !== undefined
}

// Replaces the hash of an unknown user: random, with the current cost.
const unknownUser: Hash = { ...cost, salt: randomBytes(saltLength), hash: randomBytes(hashLength) }

function parsePhc(text: string): Hash {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text)
  if (match === null) throw new Error('A stored password is not an Argon2id PHC string.')
  const [, memory, passes, parallelism, salt = '', hash = ''] = match
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

const derive = (password: string, { salt, hash, ...settings }: Hash): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parameters = { ...settings, message: password.normalize('NFC'), nonce: salt, tagLength: hash.length }
    argon2('argon2id', parameters, (error, key) => (error === null ? resolve(key) : reject(error)))
  })

/** Base64 without padding, as PHC strings use it. */
const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
