import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/**
 * What stands in a column by which rows are found, instead of a text that somebody else chose: the same for the same text,
 * and nobody without the tenant's key can try guesses on it.
 */
export const keyedDigest = (cipher: TenantCipher, table: string, column: string, text: string): string =>
  `hmac-sha256:${cipher.digest(`${table}.${column}\n${text}`)}`
