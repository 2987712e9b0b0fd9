import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { StoredAttributes, withMessage } from '#server/traces/attributes.ts'
import { shownAttributes } from '#server/traces/encryption/shown-spans.ts'
import type { LeftOut } from './left-out.ts'
import { maskAttributes } from './masked-content.ts'

// The span of an execution among the rows of an archive. Its state has the commitments of content; what may be seen of it is
// apart from the state.

type Archive = { cipher: TenantCipher; masked: boolean; leftOut: LeftOut[]; withheld: (file: string) => void }

/** What may be seen of a span: all that everyone who reads the trace sees, or without content in an archive that is `masked`. */
export function shownSpan(
  { cipher, masked, leftOut, withheld }: Archive,
  { file, id, columns, extra }: { file: string; id: string; columns: JsonObject; extra: string | null },
): JsonObject {
  const parts = JSON.parse(extra ?? '{}') as { attributes: unknown; sealed: string[] | null }
  const attributes = StoredAttributes.parse(parts.attributes)
  if (masked) {
    if (attributes.some(({ erased }) => erased === true)) leftOut.push({ resource: file, id, reason: 'erased' })
    if (attributes.some((one) => one.erased !== true && (one.masked !== undefined || one.shown !== undefined)))
      withheld(file)
    return { attributes: maskAttributes(attributes) as JsonValue }
  }
  const sealed = parts.sealed?.map((part) => Buffer.from(part, 'base64')) ?? null
  const [traceId, spanId] = [String(columns.traceId), String(columns.spanId)]
  const shown = withMessage('execution', shownAttributes(cipher, { traceId, spanId, attributes, sealed }))
  return { ...shown, attributes: [...shown.attributes] }
}
