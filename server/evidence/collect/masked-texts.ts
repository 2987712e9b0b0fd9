import type { JsonValue } from '#lib/json.ts'
import { inputMasks } from '#server/executions/input-masks.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

// Texts that external senders sent with the data are masked in archives as in responses, unless raw payloads are requested.

const together = 200

/** Masks the texts of senders as the manifest of their execution requires. */
export async function* maskedSenders<
  Row extends {
    executionId: string
    data: JsonValue
    source: string | null
    eventId: string | null
    type: string | null
    subject: string | null
  },
>(tx: Transaction, tenantId: string, rows: AsyncIterable<Row>) {
  for await (const lot of inLots(rows)) {
    const masks = await inputMasks(
      tx,
      tenantId,
      lot.map((row) => row.executionId),
    )
    for (const row of lot) {
      const mask = masks.get(row.executionId)?.(row.data) ?? whole
      const told = (text: string | null) => (text === null ? null : mask(text))
      const { source, eventId, type, subject } = row
      yield { ...row, source: told(source), eventId: told(eventId), type: told(type), subject: told(subject) }
    }
  }
}

/** Masks the names of files as the manifests of all executions that use them require. */
export async function* maskedNames<Row extends { name: string; usedBy: { executionId: string }[] }>(
  tx: Transaction,
  tenantId: string,
  rows: AsyncIterable<Row>,
) {
  for await (const lot of inLots(rows)) {
    const uses = lot.flatMap((row) => row.usedBy.map((one) => one.executionId))
    const masks = await inputMasks(tx, tenantId, uses)
    for (const row of lot) {
      const known = row.usedBy.flatMap(({ executionId }) => masks.get(executionId)?.(null) ?? [])
      const name = known.map((mask) => mask(row.name)).find((shown) => shown !== row.name)
      yield { ...row, name: name ?? (known.length === 0 ? whole(row.name) : row.name) }
    }
  }
}

/** Without an execution no manifest declares which fields are sensitive, so the whole value is masked. */
const whole = (value: JsonValue): JsonValue => ({
  $masked: { class: 'unclassified', length: typeof value === 'string' ? value.length : JSON.stringify(value).length },
})

/** Some rows at a time, for statements about several of them. */
export async function* inLots<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let lot: Row[] = []
  for await (const row of rows) {
    lot.push(row)
    if (lot.length < together) continue
    yield lot
    lot = []
  }
  if (lot.length > 0) yield lot
}
