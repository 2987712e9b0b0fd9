import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import type { JsonValue } from '#lib/json.ts'
import { GetSpanInput, GetSpanOutput } from '#lib/schemas/traces.ts'
import { tenantSealer } from '#server/kernel/keys/tenant-keys.ts'
import { query } from '#server/kernel/operation.ts'
import { StoredAttributes, StoredEvents } from './attributes.ts'
import { requireTenant } from './get-trace.ts'
import { authorityOver, noteReveal, revealed, seenBy } from './reveal.ts'
import { openSpan } from './seal.ts'
import { findSpan, findTrace } from './store.ts'
import { attributeView, maskedIn, spanView } from './view.ts'

const Facts = z.record(z.string(), z.custom<JsonValue>())

/** One span with everything that is known of it, masked like traces.getTrace. */
export const getSpan = query({
  permission: 'trace:read',
  input: GetSpanInput,
  output: GetSpanOutput,
  tenantField: 'tenantId',
  async run({ tx, input, ...caller }) {
    const { tenant } = caller
    const { traceId, spanId } = input
    requireTenant(input.tenantId, caller)
    const trace = await findTrace(tx, tenant.id, traceId)
    const row = trace && (await findSpan(tx, { tenantId: tenant.id, ...trace }, spanId))
    if (row === undefined) throw notFound()
    let attributes = StoredAttributes.parse(row.attributes)
    let events = StoredEvents.parse(row.events)
    const authority = input.includeSensitiveData ? await authorityOver(tx, caller, traceId) : null
    let values = 0
    if (authority !== null && typeof authority !== 'string') {
      const disclosures = openSpan(await tenantSealer(tx, tenant.id), { traceId, spanId, sealed: row.sealed })
      const show = (stored: typeof attributes) => {
        const shown = revealed(stored, disclosures, authority.fields)
        values += shown.count
        return shown.attributes
      }
      attributes = show(attributes)
      events = events.map((event) => ({ ...event, attributes: show(event.attributes) }))
      if (values > 0) await noteReveal(tx, caller, { traceId, spanId, values, authority })
    }
    const shownEvents = events.map((event) => ({ ...event, attributes: event.attributes.map(attributeView) }))
    const span = spanView({ ...row, attributes })
    const nothing = values > 0 ? null : 'There is nothing masked that could be shown.'
    return {
      span: {
        ...span,
        events: shownEvents,
        facts: Facts.parse(row.facts),
        proof: row.auditId === null ? null : { auditId: row.auditId, index: row.batchIndex ?? 0 },
      },
      masking: {
        maskedValues: maskedIn([...span.attributes, ...shownEvents.flatMap((event) => event.attributes)]),
        revealed: values > 0,
        reason: authority === null || typeof authority === 'string' ? authority : nothing,
      },
      seenBy: await seenBy(tx, tenant.id, traceId, spanId),
    }
  },
})
