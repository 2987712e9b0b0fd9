import { type Gone, insertErased } from '#server/kernel/content/erased-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { type StoredAttribute, StoredAttributes, StoredEvents, StoredLinks } from '#server/traces/attributes.ts'
import {
  commitment,
  type Disclosure,
  decryptResource,
  decryptSpan,
  resourceContext,
  spanContext,
} from '#server/traces/encryption/encrypt-span.ts'
import { listForErasure, listResourcesForErasure, setErased, setResourceErased } from './erase-store.ts'

/** The number of spans that one transaction reads. */
const lot = 200

export type Erased = {
  spans: number
  values: number
  /** Spans that contain the subject and are under a legal hold, which are not changed. */
  held: number
  /** Spans and resources whose values can't be decrypted, as `<table>/<key>`: they can't be searched. */
  unreadable: string[]
  /** The position to continue from; undefined at the end. */
  next: string | undefined
}

/**
 * Removes salt and value of each sensitive value that contains `subject` (as text, ignoring case) from some spans of the tenant,
 * in the order of their keys, starting after `after`, and only of `traceIds` if given. The commitments remain, so that all
 * proofs remain valid. An unmasked text is removed, too: the span's leaf remains in its batch, and only that span no longer
 * verifies by itself.
 */
export async function eraseFrom(
  tx: Transaction,
  tenantId: string,
  subject: string,
  { erasureId, after, traceIds }: { erasureId: string | null; after: string; traceIds?: readonly string[] | undefined },
): Promise<Erased> {
  const rows = await listForErasure(tx, tenantId, { after, traceIds, limit: lot })
  const cipher = await tenantCipher(tx, tenantId)
  const holds = holder(subject)
  const gone: Gone[] = []
  let spans = 0
  let values = 0
  let held = 0
  const unreadable: string[] = []
  for (const row of rows) {
    const disclosures = readable(() => decryptSpan(cipher, row))
    if (disclosures === undefined) {
      unreadable.push(`spans/${row.traceId}/${row.spanId}`)
      continue
    }
    const { erase, gone: taken, erased } = eraser(disclosures, holds)
    const attributes = erase(StoredAttributes.parse(row.attributes))
    const events = StoredEvents.parse(row.events).map((event) => ({ ...event, attributes: erase(event.attributes) }))
    const links = StoredLinks.parse(row.links).map((link) => ({ ...link, attributes: erase(link.attributes) }))
    if (erased() === 0) continue
    if (row.held) {
      held += 1
      continue
    }
    spans += 1
    values += erased()
    gone.push({ resource: 'trace', resourceId: row.traceId, texts: erased() })
    const sealed = encryptedAgain(cipher, disclosures, taken, spanContext(row.traceId, row.spanId))
    await setErased(tx, { tenantId, ...row, attributes, events, links, sealed })
  }
  const resources = await eraseResources(tx, tenantId, rows, holds)
  values += resources.values
  unreadable.push(...resources.unreadable)
  await insertErased(tx, tenantId, erasureId, gone)
  const last = rows.at(-1)
  return { spans, values, held, unreadable, next: rows.length < lot || last === undefined ? undefined : last.place }
}

/**
 * The same for the resources of these spans. A resource of a span under a legal hold is kept, even if other spans share it. A
 * resource of many spans is read with each part of them; a repetition has no effect.
 */
async function eraseResources(
  tx: Transaction,
  tenantId: string,
  rows: Awaited<ReturnType<typeof listForErasure>>,
  holds: (value: unknown) => boolean,
): Promise<{ values: number; unreadable: string[] }> {
  const cipher = await tenantCipher(tx, tenantId)
  const held = new Set(rows.flatMap((row) => (row.held ? (row.auditId ?? []) : [])))
  const batches = [...new Set(rows.flatMap(({ auditId }) => auditId ?? []))].filter((auditId) => !held.has(auditId))
  let values = 0
  const unreadable: string[] = []
  for (const row of await listResourcesForErasure(tx, tenantId, batches)) {
    const disclosures = readable(() => decryptResource(cipher, row))
    if (disclosures === undefined) {
      unreadable.push(`batch_resources/${row.auditId}/${row.index}`)
      continue
    }
    const { erase, gone, erased } = eraser(disclosures, holds)
    const attributes = erase(StoredAttributes.parse(row.attributes))
    if (erased() === 0) continue
    values += erased()
    const sealed = encryptedAgain(cipher, disclosures, gone, resourceContext(row.auditId, row.index))
    await setResourceErased(tx, { tenantId, auditId: row.auditId, index: row.index, attributes, sealed })
  }
  return { values, unreadable }
}

/** Undefined if the bytes were changed, moved, or encrypted under a lost key. */
function readable<T>(decrypted: () => T): T | undefined {
  try {
    return decrypted()
  } catch {
    return undefined
  }
}

/** Whether a value contains the subject as text, ignoring case. */
function holder(subject: string): (value: unknown) => boolean {
  const wanted = quoted(subject.toLowerCase())
  // The shown values of executions are JSON text within the JSON.
  const within = quoted(wanted)
  return (value) => {
    const text = JSON.stringify(value).toLowerCase()
    return text.includes(wanted) || text.includes(within)
  }
}

/** Removes values that contain the subject from attributes. `gone` are the commitments to the encrypted ones. */
function eraser(disclosures: ReadonlyMap<string, Disclosure>, holds: (value: unknown) => boolean) {
  const gone = new Set([...disclosures].filter(([, [, value]]) => holds(value)).map(([sd]) => sd))
  let count = 0
  const eraseOne = (attribute: StoredAttribute): StoredAttribute => {
    const { key, masked, sd, shown, value } = attribute
    const clear = value !== undefined && holds(value)
    const isGone = (of: string | undefined) => of !== undefined && gone.has(of)
    if (!clear && !isGone(sd) && !isGone(shown)) return attribute
    count += 1
    return {
      key,
      ...(shown === undefined || isGone(shown) ? {} : { shown }),
      ...(clear || value === undefined ? {} : { value }),
      ...(masked === undefined ? {} : { masked }),
      ...(sd === undefined ? {} : { sd }),
      erased: true,
    }
  }
  return {
    gone,
    erased: () => count,
    erase: (attributes: ReturnType<typeof StoredAttributes.parse>) => attributes.map((one) => eraseOne(stored(one))),
  }
}

/** Encrypts the remaining disclosures again; returns null if none remain. */
function encryptedAgain(
  cipher: TenantCipher,
  disclosures: ReadonlyMap<string, Disclosure>,
  gone: ReadonlySet<string>,
  context: string,
): Buffer | null {
  const left = [...disclosures.values()].filter((disclosure) => !gone.has(commitment(disclosure)))
  return left.length === 0 ? null : cipher.encrypt(JSON.stringify(left), context)
}

/** Returns the text as it appears within JSON. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Omits the undefined members. */
const stored = (from: {
  key: string
  value?: StoredAttribute['value'] | undefined
  masked?: StoredAttribute['masked'] | undefined
  sd?: string | undefined
  shown?: string | undefined
  erased?: true | undefined
}): StoredAttribute => ({
  key: from.key,
  ...(from.value === undefined ? {} : { value: from.value }),
  ...(from.masked === undefined ? {} : { masked: from.masked }),
  ...(from.sd === undefined ? {} : { sd: from.sd }),
  ...(from.shown === undefined ? {} : { shown: from.shown }),
  ...(from.erased === undefined ? {} : { erased: from.erased }),
})
