import { notFound } from '#lib/errors.ts'
import { GetSpanInput, GetSpanOutput } from '#lib/schemas/traces.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { findErased } from '#server/kernel/content/erased-store.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { query } from '#server/kernel/operation.ts'
import { decryptResource, decryptSpan } from '#server/traces/encryption/encrypt-span.ts'
import { shownSpans } from '#server/traces/encryption/shown-spans.ts'
import { findResource } from '#server/traces/proofs/span-proof-store.ts'
import { authorityOver, noteReveal, revealed, seenBy } from '#server/traces/unmasking/reveal.ts'
import { StoredAttributes, StoredEvents, StoredLinks } from './attributes.ts'
import { findSpan, findTrace } from './store.ts'
import { attributeView, factsOf, maskedIn, spanView } from './view.ts'

/** Returns one span with all its data, masked as in traces.getTrace. */
export const getSpan = query({
  permission: 'trace:read',
  input: GetSpanInput,
  output: GetSpanOutput,
  tenantField: 'tenantId',
  showsSecrets: true,
  async run({ tx, input, ...caller }) {
    const { tenant } = caller
    const { traceId, spanId } = input
    const trace = await findTrace(tx, tenant.id, traceId)
    // Before the row is missed: it may have been deleted.
    if (trace !== undefined) await requireBound(tx, tenant.id, 'span', [`${trace.day}/${traceId}/${spanId}`])
    const row = trace && (await findSpan(tx, { tenantId: tenant.id, ...trace }, spanId))
    if (row === undefined) throw notFound()
    let events = StoredEvents.parse(row.events)
    let links = StoredLinks.parse(row.links)
    const stored =
      row.auditId === null || row.resourceIndex === null
        ? undefined
        : await findResource(tx, tenant.id, row.auditId, row.resourceIndex)
    let resource = StoredAttributes.parse(stored?.attributes ?? [])
    const authority = input.includeSensitiveData ? await authorityOver(tx, caller, traceId) : null
    let values = 0
    const mayReveal = authority !== null && typeof authority !== 'string'
    const [read] = await shownSpans(tx, { tenantId: tenant.id, traceId }, [
      { ...row, sealed: row.origin === 'execution' ? row.sealed : null },
    ])
    let attributes = read?.attributes ?? []
    if (mayReveal) {
      const cipher = await tenantCipher(tx, tenant.id)
      const disclosures = decryptSpan(cipher, { traceId, spanId, sealed: row.sealed })
      if (stored !== undefined)
        for (const [sd, disclosure] of decryptResource(cipher, stored)) disclosures.set(sd, disclosure)
      const show = (masked: typeof attributes) => {
        const shown = revealed(masked, disclosures, authority.fields)
        values += shown.count
        return shown.attributes
      }
      attributes = show(attributes)
      events = events.map((event) => ({ ...event, attributes: show(event.attributes) }))
      links = links.map((link) => ({ ...link, attributes: show(link.attributes) }))
      resource = show(resource)
      if (values > 0) await noteReveal(tx, caller, { traceId, spanId, values, authority })
    }
    const shownEvents = events.map((event) => ({ ...event, attributes: event.attributes.map(attributeView) }))
    const shownLinks = links.map((link) => ({ ...link, attributes: link.attributes.map(attributeView) }))
    const shownResource = resource.map(attributeView)
    const span = spanView({ ...row, attributes })
    const nothing = values > 0 ? null : 'This span does not contain masked values.'
    return {
      span: {
        ...span,
        events: shownEvents,
        links: shownLinks,
        resource: shownResource,
        facts: factsOf(row.facts),
        proof: row.auditId === null ? null : { auditId: row.auditId, index: row.batchIndex ?? 0 },
      },
      masking: {
        maskedValues: maskedIn([
          ...span.attributes,
          ...[...shownEvents, ...shownLinks].flatMap((one) => one.attributes),
          ...shownResource,
        ]),
        revealed: values > 0,
        reason: authority === null || typeof authority === 'string' ? authority : nothing,
      },
      seenBy: await seenBy(tx, tenant.id, traceId, spanId),
      erased: await findErased(tx, tenant.id, 'trace', traceId),
    }
  },
})
