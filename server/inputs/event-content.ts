import type { JsonValue } from '#lib/json.ts'
import { present } from '#server/kernel/content/committed.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'

/** A sender's attributes of an event, and the salt of its fingerprint, which is absent for events older than salts. */
export type EventAttributes = {
  idempotencyKey: string | null
  source: string | null
  id: string | null
  type: string | null
  subject: string | null
  salt?: string
  /** Part of the event was erased along with the salt, so its fingerprint can no longer be compared. */
  erased?: true
}

const none: EventAttributes = { idempotencyKey: null, source: null, id: null, type: null, subject: null }

const contextOf = (id: string, column: 'data' | 'attributes') => contentContext('input_events', [id], column)

export const encryptData = (cipher: TenantCipher, id: string, data: JsonValue): Buffer =>
  cipher.encryptJson(data, contextOf(id, 'data'))

/** Null also for data whose retention period has passed. */
export function openData(cipher: TenantCipher, id: string, encrypted: Buffer | null): JsonValue {
  const stored = present(encrypted)
  return stored === null ? null : cipher.decryptJson(stored, contextOf(id, 'data'))
}

export const encryptAttributes = (cipher: TenantCipher, id: string, attributes: EventAttributes): Buffer =>
  cipher.encryptJson(attributes, contextOf(id, 'attributes'))

export function openAttributes(cipher: TenantCipher, id: string, encrypted: Buffer | null): EventAttributes {
  const stored = present(encrypted)
  return stored === null
    ? { ...none, erased: true }
    : (cipher.decryptJson(stored, contextOf(id, 'attributes')) as EventAttributes)
}
