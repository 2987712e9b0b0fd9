import type { JsonValue } from '#lib/json.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { TenantSealer } from '#server/kernel/keys/tenant-keys.ts'

/** What a sender says of an event beside its data, and the salt of its fingerprint; an event from before there were salts has none. */
export type EventAttributes = {
  idempotencyKey: string | null
  source: string | null
  id: string | null
  type: string | null
  subject: string | null
  salt?: string
  /** Something of the event is gone, and the salt with it: whether it comes again can't be told by its fingerprint. */
  erased?: true
}

const none: EventAttributes = { idempotencyKey: null, source: null, id: null, type: null, subject: null }

const contextOf = (id: string, column: 'data' | 'attributes') => contentContext('input_events', [id], column)

export const sealData = (sealer: TenantSealer, id: string, data: JsonValue): Buffer =>
  sealer.sealJson(data, contextOf(id, 'data'))

/** Null also for what the tenant's retention has passed. */
export const openData = (sealer: TenantSealer, id: string, sealed: Buffer | null): JsonValue =>
  sealed === null ? null : sealer.openJson(sealed, contextOf(id, 'data'))

export const sealAttributes = (sealer: TenantSealer, id: string, attributes: EventAttributes): Buffer =>
  sealer.sealJson(attributes, contextOf(id, 'attributes'))

export const openAttributes = (sealer: TenantSealer, id: string, sealed: Buffer | null): EventAttributes =>
  sealed === null
    ? { ...none, erased: true }
    : (sealer.openJson(sealed, contextOf(id, 'attributes')) as EventAttributes)
