import type { TenantSealer } from '#server/kernel/keys/tenant-keys.ts'
import { StoredAttributes, StoredEvents, StoredLinks } from './attributes.ts'
import { type Disclosure, openSpan } from './seal.ts'

/** A sensitive value of a span in clear, with what proves that it is the one that was recorded. */
export type ClearValue = { key: string; event?: string; link?: string; commitment: string; disclosure: Disclosure }
export type ClearValues = {
  values: ClearValue[]
  /** What is not in `values`, once each: removed by an erasure, sealed bytes that were changed, or not there. */
  missing: Set<'erased' | 'integrity_failed' | 'source_unavailable'>
}

/** Every sensitive value of a stored span. Who may see them, and that it is written down, is the caller's business. */
export function clearValues(
  sealer: TenantSealer,
  span: {
    traceId: string
    spanId: string
    attributes: unknown
    events: unknown
    links: unknown
    sealed: readonly Buffer[] | null
  },
): ClearValues {
  const found: ClearValues = { values: [], missing: new Set() }
  const disclosures = opened(sealer, span)
  const take = (
    attributes: ReturnType<typeof StoredAttributes.parse>,
    within: { event?: string; link?: string } = {},
  ) => {
    for (const { key, sd, erased } of attributes) {
      const disclosure = sd === undefined ? undefined : disclosures?.get(sd)
      if (erased === true) found.missing.add('erased')
      else if (sd === undefined) continue
      else if (disclosure === undefined)
        found.missing.add(disclosures === undefined ? 'integrity_failed' : 'source_unavailable')
      else found.values.push({ key, ...within, commitment: sd, disclosure })
    }
  }
  take(StoredAttributes.parse(span.attributes))
  for (const event of StoredEvents.parse(span.events)) take(event.attributes, { event: event.name })
  for (const { traceId, spanId, attributes } of StoredLinks.parse(span.links))
    take(attributes, { link: `${traceId}/${spanId}` })
  return found
}

/** Undefined when the bytes are not those that were sealed for this span. */
export function opened(
  sealer: TenantSealer,
  span: Parameters<typeof openSpan>[1],
): Map<string, Disclosure> | undefined {
  try {
    return openSpan(sealer, span)
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('The sealed value for ')) return undefined
    throw error
  }
}
