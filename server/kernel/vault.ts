import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Encrypts what must not lie in clear in the database. `context` (tenant and purpose) is authenticated, not stored. */
export type Vault = {
  seal(plaintext: Uint8Array, context: string): Buffer
  /** Throws when the bytes, the context or the master key do not match. */
  open(sealed: Uint8Array, context: string): Buffer
}

const nonceLength = 12
const tagLength = 16

/** AES-256-GCM under one master key: version byte, nonce, tag, ciphertext. */
export function createVault(masterKey: Uint8Array): Vault {
  return {
    seal(plaintext, context) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', masterKey, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plaintext), cipher.final()])
      return Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed)
      if (bytes[0] !== 1) throw new Error(`The sealed value for ${context} has an unknown version.`)
      const nonce = bytes.subarray(1, 1 + nonceLength)
      const tag = bytes.subarray(1 + nonceLength, 1 + nonceLength + tagLength)
      const decipher = createDecipheriv('aes-256-gcm', masterKey, nonce).setAAD(Buffer.from(context)).setAuthTag(tag)
      try {
        return Buffer.concat([decipher.update(bytes.subarray(1 + nonceLength + tagLength)), decipher.final()])
      } catch (cause) {
        throw new Error(
          `The sealed value for ${context} can't be opened: the master key is another one, or the value was changed.`,
          { cause },
        )
      }
    },
  }
}

/** The master key: MASTER_KEY, else DATA_DIR/master.key, made at the first start (mode 0600, synced before use). */
export async function loadMasterKey(dataDir: string, fromEnvironment: string | undefined): Promise<Buffer> {
  if (fromEnvironment !== undefined) return Buffer.from(fromEnvironment, 'base64')
  const path = join(dataDir, 'master.key')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const existing = await readMasterKey(path)
  if (existing !== undefined) return existing
  const temporary = `${path}.${process.pid}`
  const file = await open(temporary, 'wx', 0o600)
  await file.writeFile(randomBytes(32).toString('base64'))
  await file.sync()
  await file.close()
  // Of two first starts at once one link wins, and both read the winner's key.
  await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(temporary)
  const made = await readMasterKey(path)
  if (made === undefined) throw new Error(`${path} could not be written.`)
  return made
}

async function readMasterKey(path: string): Promise<Buffer | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32) throw new Error(`${path} must hold 32 bytes in base64.`)
  return key
}
