import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/**
 * The value of a search column that replaces a text from outside: the same text always gives the same value, and
 * testing guesses requires the tenant's key.
 */
export const keyedDigest = (cipher: TenantCipher, table: string, column: string, text: string): string =>
  `hmac-sha256:${cipher.digest(`${table}.${column}\n${text}`)}`
