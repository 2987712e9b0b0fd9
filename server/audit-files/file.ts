import { auditCsv, auditCsvHead, auditNdjson } from '#lib/audit/file.ts'
import { AuditFileInput } from '#lib/schemas/audit.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { query } from '#server/kernel/operation.ts'
import type { RouteWire } from '#server/kernel/route-wire.ts'
import { recordsInParts } from './records-in-parts.ts'

/**
 * The records that match, as a file: what audit.list returns page by page, in its order, with sentences as the console shows them.
 * Like the list, reading it is not recorded.
 */
export const file = query({
  permission: 'audit:read',
  input: AuditFileInput,
  output: AuditFileInput,
  run: async ({ input }) => input,
})

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

export const fileWire: RouteWire = {
  query: AuditFileInput,
  answer: { 'text/csv': 'text', 'application/x-ndjson': 'text' },
}

/** Writes the file while it is read: a part of it is in memory, however long it is. */
export function fileResponse({ format, ...filter }: ReturnType<typeof AuditFileInput.parse>, caller: Caller): Response {
  const parts = recordsInParts(caller, filter)
  const encoder = new TextEncoder()
  let begun = format === 'ndjson'
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!begun) {
          begun = true
          return controller.enqueue(encoder.encode(auditCsvHead()))
        }
        const { value, done } = await parts.next()
        if (done) return controller.close()
        controller.enqueue(encoder.encode(format === 'csv' ? auditCsv(value) : auditNdjson(value)))
      },
      async cancel() {
        await parts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': `${types[format]}; charset=utf-8`,
      'content-disposition': `attachment; filename="audit-records.${format}"`,
    },
  })
}
