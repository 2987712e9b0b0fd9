import type { z } from 'zod'
import { StoredAttributes, StoredEvents, StoredLinks } from '#server/traces/attributes.ts'
import type { LeftOut } from './left-out.ts'
import { maskAttributes } from './masked-content.ts'

// Spans and resources of an archive without raw payloads.

type Attributes = z.infer<typeof StoredAttributes>
type SpanRow = { traceId: string; spanId: string; attributes: unknown; events: unknown; links: unknown }
type ResourceRow = { auditId: string; resourceIndex: number; attributes: unknown; sealed: unknown }

/** `withheld` is called for each span with a value that is masked. Spans with an erased one are added to `leftOut`. */
export async function* maskedSpans<Row extends SpanRow>(
  rows: AsyncIterable<Row>,
  leftOut: LeftOut[],
  withheld: () => void,
): AsyncGenerator<object> {
  for await (const row of rows) {
    const attributes = StoredAttributes.parse(row.attributes)
    const events = StoredEvents.parse(row.events)
    const links = StoredLinks.parse(row.links)
    const all = [attributes, ...[...events, ...links].map((one) => one.attributes)].flat()
    note(all, { resource: 'spans', id: `${row.traceId}/${row.spanId}` }, leftOut, withheld)
    const masked = <One extends { attributes: Attributes }>(one: One) => ({
      ...one,
      attributes: maskAttributes(one.attributes),
    })
    yield { ...row, attributes: maskAttributes(attributes), events: events.map(masked), links: links.map(masked) }
  }
}

/** The same for resources, without their encrypted values. */
export async function* maskedResources<Row extends ResourceRow>(
  rows: AsyncIterable<Row>,
  leftOut: LeftOut[],
  withheld: () => void,
): AsyncGenerator<object> {
  for await (const { sealed: _sealed, ...row } of rows) {
    const attributes = StoredAttributes.parse(row.attributes)
    note(attributes, { resource: 'resources', id: `${row.auditId}/${row.resourceIndex}` }, leftOut, withheld)
    yield { ...row, attributes: maskAttributes(attributes) }
  }
}

function note(
  attributes: Attributes,
  named: { resource: string; id: string },
  leftOut: LeftOut[],
  withheld: () => void,
): void {
  if (attributes.some(({ erased }) => erased === true)) leftOut.push({ ...named, reason: 'erased' })
  if (attributes.some((one) => one.erased !== true && (one.masked !== undefined || one.shown !== undefined))) withheld()
}
