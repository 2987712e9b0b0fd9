export const secretStatuses = ['active', 'expired', 'revoked', 'archived'] as const
type SecretStatus = (typeof secretStatuses)[number]
export type SecretRecord = { kind: 'value' | 'api_key'; status: SecretStatus }

/** The largest value of a secret, in bytes of UTF-8. */
export const maxValueBytes = 16 * 1024

/** The most origins that one secret can be bound to. */
export const maxDestinations = 20

/**
 * The origin of this address, in the spelling in which origins are compared: protocol, host, and the port unless it is the
 * usual one. Undefined for any other text, such as an address with a path or a wildcard.
 */
export function originOf(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@*\\\s]+\/?$/i.test(text) || !URL.canParse(text)) return undefined
  return new URL(text).origin
}

/** Why a record can't be bound to destinations, or undefined. */
export function whyNotBind(secret: SecretRecord): string | undefined {
  if (secret.kind === 'api_key') return 'Only secret values have destinations. An API key is never sent anywhere.'
  if (secret.status !== 'active')
    return `This secret is ${secret.status}, so it is not sent anywhere. Create another one.`
}

/** Why a record can't be archived, or undefined. An active key must be revoked first; a value is archived directly. */
export function whyNotArchive(secret: SecretRecord): string | undefined {
  if (secret.kind === 'api_key' && secret.status === 'active') return 'This API key still works. Revoke it first.'
}
