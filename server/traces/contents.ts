import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { decimal } from '#lib/rules/cost.ts'
import type { SpanContents } from '#lib/schemas/traces.ts'
import { sha256Now } from '#lib/sha256.ts'
import { hiddenContent, isInput, isOutput } from '#lib/traces/span-content.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { shownAttributes } from '#server/traces/encryption/shown-spans.ts'
import type { StoredAttribute } from './attributes.ts'
import { streamContents } from './contents-store.ts'
import type { TraceKey } from './store.ts'
import { costOfModel, pricesOf } from './usage.ts'
import { attributeView, maskedIn } from './view.ts'

/** Characters of a digest: 48 bits tell two spans apart, and a trace may have thousands. */
const digestLength = 8

/** Returns what a comparison needs of each span, as a reader without a grant sees it, in the order of `spanIds`. */
export async function contentsOf(
  tx: Transaction,
  key: TraceKey,
  agentId: string | null,
  spanIds: readonly string[],
): Promise<SpanContents> {
  const rowOf = new Map(spanIds.map((spanId, row) => [spanId, row]))
  const contents: SpanContents = {
    calls: [],
    input: spanIds.map(() => ''),
    output: spanIds.map(() => ''),
  }
  const prices = agentId === null ? new Map() : await pricesOf(tx, key.tenantId, agentId)
  let cipher: Awaited<ReturnType<typeof tenantCipher>> | undefined
  for await (const { spanId, kind, facts, ...stored } of streamContents(tx, key)) {
    const row = rowOf.get(spanId)
    // It arrived after the skeleton was read.
    if (row === undefined) continue
    if (stored.sealed !== null) cipher ??= await tenantCipher(tx, key.tenantId)
    const attributes = shownAttributes(cipher, { traceId: key.traceId, spanId, ...stored })
    contents.input[row] = digestOf(attributes.filter(isInput))
    contents.output[row] = digestOf(attributes.filter(isOutput))
    const usage = kind === 'model' ? usageIn(facts, attributes) : undefined
    if (usage === undefined) continue
    const { inputTokens, outputTokens } = usage
    const cost = costOfModel(usage, prices)
    contents.calls.push({
      row,
      inputTokens,
      outputTokens,
      cost: cost === undefined ? null : { amount: decimal(cost.micros), currency: cost.currency },
    })
  }
  return contents
}

function digestOf(attributes: readonly StoredAttribute[]): string {
  const shown = attributes.map(attributeView)
  if (shown.length === 0) return ''
  if (maskedIn(shown) > 0 || shown.some(({ erased }) => erased === true)) return hiddenContent
  const text = JSON.stringify(
    shown.map(({ key, value }) => [key, value ?? null]),
    sorted,
  )
  return Buffer.from(sha256Now(new TextEncoder().encode(text)))
    .toString('base64url')
    .slice(0, digestLength)
}

/** The order of an object's members does not distinguish two values. */
const sorted = (_: string, value: JsonValue): JsonValue =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

/** Telemetry has the figures of a call as facts, executions as attributes. Undefined without tokens. */
function usageIn(facts: JsonObject, attributes: readonly StoredAttribute[]) {
  const attribute = (key: string) => attributes.find((one) => one.key === key)?.value
  const count = (value: JsonValue | undefined) => (value === undefined ? undefined : Number(value))
  const input = count(facts.inputTokens ?? attribute('gen_ai.usage.input_tokens'))
  const output = count(facts.outputTokens ?? attribute('gen_ai.usage.output_tokens'))
  if (input === undefined && output === undefined) return undefined
  const model = facts.model ?? attribute('gen_ai.request.model')
  const [cost, currency] = String(attribute('countersign.cost') ?? '').split(' ')
  return {
    model: typeof model === 'string' ? model : null,
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cost: cost && currency ? cost : null,
    currency: currency ?? null,
  }
}
