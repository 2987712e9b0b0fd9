import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { StoredAttributes, StoredEvents, StoredLinks } from '#server/traces/attributes.ts'
import { type Disclosure, decryptResource, decryptSpan } from './encrypt-span.ts'

/** An unmasked sensitive value of a span, with the proof that it is the recorded one. */
export type ClearValue = { key: string; event?: string; link?: string; commitment: string; disclosure: Disclosure }
export type ClearValues = {
  values: ClearValue[]
  /** Attributes missing from `values`, once each: erased, changed in encrypted form, or absent. */
  missing: Set<'erased' | 'integrity_failed' | 'source_unavailable'>
}

/** Returns every sensitive value of a stored span. The caller checks who may see them and records it. */
export function clearValues(
  cipher: TenantCipher,
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
  const disclosures = opened(cipher, span)
  takeClear(found, disclosures, StoredAttributes.parse(span.attributes))
  for (const event of StoredEvents.parse(span.events))
    takeClear(found, disclosures, event.attributes, { event: event.name })
  for (const { traceId, spanId, attributes } of StoredLinks.parse(span.links))
    takeClear(found, disclosures, attributes, { link: `${traceId}/${spanId}` })
  return found
}

/** The same for a resource. */
export function clearValuesOfResource(
  cipher: TenantCipher,
  resource: { auditId: string; index: number; attributes: unknown; sealed: Buffer | null },
): ClearValues {
  const found: ClearValues = { values: [], missing: new Set() }
  takeClear(
    found,
    unlessChanged(() => decryptResource(cipher, resource)),
    StoredAttributes.parse(resource.attributes),
  )
  return found
}

function takeClear(
  found: ClearValues,
  disclosures: ReadonlyMap<string, Disclosure> | undefined,
  attributes: ReturnType<typeof StoredAttributes.parse>,
  within: { event?: string; link?: string } = {},
): void {
  for (const { key, sd, erased } of attributes) {
    const disclosure = sd === undefined ? undefined : disclosures?.get(sd)
    if (erased === true) found.missing.add('erased')
    else if (sd === undefined) continue
    else if (disclosure === undefined)
      found.missing.add(disclosures === undefined ? 'integrity_failed' : 'source_unavailable')
    else found.values.push({ key, ...within, commitment: sd, disclosure })
  }
}

/** Returns undefined if the bytes were not encrypted for this span. */
export const opened = (
  cipher: TenantCipher,
  span: Parameters<typeof decryptSpan>[1],
): Map<string, Disclosure> | undefined => unlessChanged(() => decryptSpan(cipher, span))

function unlessChanged(open: () => Map<string, Disclosure>): Map<string, Disclosure> | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('The encrypted value for ')) return undefined
    throw error
  }
}
