import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantSealer } from '#server/kernel/keys/tenant-keys.ts'
import { type StoredAttribute, StoredAttributes, StoredEvents } from './attributes.ts'
import { listForErasure, setErased } from './erase-store.ts'
import { commitment, openSpan, spanContext } from './seal.ts'

/** Spans that one transaction looks at. */
const lot = 200

export type Erased = {
  spans: number
  values: number
  /** Spans that hold the subject and are under a legal hold: left as they are. */
  held: number
  /** Where to go on; undefined: all has been looked at. */
  next: string | undefined
}

/**
 * Removes salt and value of each sensitive value that holds `subject` (as text, whatever its case) from some spans of the
 * tenant, in the order of their keys from after `after`. The commitments stay, so that every proof does. A text that
 * stands in clear is removed, too; the span's leaf stays in its batch, and only that span no longer verifies by itself.
 */
export async function eraseFrom(tx: Transaction, tenantId: string, subject: string, after: string): Promise<Erased> {
  const rows = await listForErasure(tx, tenantId, after, lot)
  const sealer = await tenantSealer(tx, tenantId)
  const wanted = subject.toLowerCase()
  const holds = (value: unknown) => JSON.stringify(value).toLowerCase().includes(quoted(wanted))
  let spans = 0
  let values = 0
  let held = 0
  for (const row of rows) {
    const disclosures = openSpan(sealer, row)
    const gone = new Set([...disclosures].filter(([, [, value]]) => holds(value)).map(([sd]) => sd))
    const erase = (attribute: StoredAttribute): StoredAttribute => {
      const { key, masked, sd, value } = attribute
      const clear = value !== undefined && holds(value)
      if (!clear && (sd === undefined || !gone.has(sd))) return attribute
      values += 1
      return {
        key,
        ...(clear || value === undefined ? {} : { value }),
        ...(masked === undefined ? {} : { masked }),
        ...(sd === undefined ? {} : { sd }),
        erased: true,
      }
    }
    const before = values
    const attributes = StoredAttributes.parse(row.attributes).map((one) => erase(stored(one)))
    const events = StoredEvents.parse(row.events).map((event) => ({
      ...event,
      attributes: event.attributes.map((one) => erase(stored(one))),
    }))
    if (values === before) continue
    if (row.held) {
      held += 1
      values = before
      continue
    }
    spans += 1
    const left = [...disclosures.values()].filter((disclosure) => !gone.has(commitment(disclosure)))
    const context = spanContext(row.traceId, row.spanId)
    const sealed = left.length === 0 ? null : sealer.seal(Buffer.from(JSON.stringify(left)), context)
    await setErased(tx, { tenantId, ...row, attributes, events, sealed })
  }
  const last = rows.at(-1)
  return { spans, values, held, next: rows.length < lot || last === undefined ? undefined : last.place }
}

/** As it stands inside of JSON. */
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Without the members that are not there. */
const stored = (from: {
  key: string
  value?: StoredAttribute['value'] | undefined
  masked?: StoredAttribute['masked'] | undefined
  sd?: string | undefined
  erased?: true | undefined
}): StoredAttribute => ({
  key: from.key,
  ...(from.value === undefined ? {} : { value: from.value }),
  ...(from.masked === undefined ? {} : { masked: from.masked }),
  ...(from.sd === undefined ? {} : { sd: from.sd }),
  ...(from.erased === undefined ? {} : { erased: from.erased }),
})
