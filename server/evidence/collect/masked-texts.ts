import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { inputMasks } from '#server/executions/input-masks.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { maskText } from './masked-content.ts'
import { type ContentRow, valueIn } from './row-content.ts'

// Texts that external senders sent with the data, in archives without raw payloads.

const together = 200

/** Shows the types of senders' events, masked as the manifest of their execution requires. */
export async function* maskedSenders<Row extends ContentRow<{ executionId: string }>>(
  tx: Transaction,
  tenantId: string,
  rows: AsyncIterable<Row>,
) {
  for await (const lot of inLots(rows)) {
    const masks = await inputMasks(
      tx,
      tenantId,
      lot.map(({ row }) => row.executionId),
    )
    for (const one of lot) {
      const mask = masks.get(one.row.executionId)?.(valueIn(one.content, 'data') ?? null) ?? whole
      const sent = valueIn(one.content, 'attributes')
      // Source, id and subject are free text of the sender.
      const type = isJsonObject(sent) ? sent.type : null
      yield { ...one, shown: { type: typeof type === 'string' ? maskText('', mask(type)) : null } }
    }
  }
}

/** Masks the names of files as the manifests of all executions that use them require. */
export async function* maskedNames<Row extends ContentRow<{ usedBy: { executionId: string }[] }>>(
  tx: Transaction,
  tenantId: string,
  rows: AsyncIterable<Row>,
) {
  for await (const lot of inLots(rows)) {
    const uses = lot.flatMap(({ row }) => row.usedBy.map((one) => one.executionId))
    const masks = await inputMasks(tx, tenantId, uses)
    for (const one of lot) {
      const name = valueIn(one.content, 'name') ?? null
      const known = one.row.usedBy.flatMap(({ executionId }) => masks.get(executionId)?.(null) ?? [])
      const masked = known.map((mask) => mask(name)).find((shown) => shown !== name)
      const shown = masked ?? (known.length === 0 && name !== null ? whole(name) : name)
      yield { ...one, shown: { name: maskText('', shown) } }
    }
  }
}

/** Without an execution no manifest declares which fields are sensitive, so the whole value is masked. */
const whole = (value: JsonValue): JsonValue => ({
  $masked: { class: 'unclassified', length: typeof value === 'string' ? value.length : JSON.stringify(value).length },
})

async function* inLots<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let lot: Row[] = []
  for await (const row of rows) {
    lot.push(row)
    if (lot.length < together) continue
    yield lot
    lot = []
  }
  if (lot.length > 0) yield lot
}
