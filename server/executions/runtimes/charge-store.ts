import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'

export type ChargeKey = { tenantId: string; executionId: string; stepId: string; attempt: number }

export async function insertCharge(
  tx: Transaction,
  row: ChargeKey & { model: string; currency: string | null; reservedMicros: bigint },
): Promise<void> {
  await tx
    .insertInto('executionCharges')
    .values({ ...row, reservedMicros: Number(row.reservedMicros) })
    .execute()
}

/** reserved → charged, once. */
export async function setCharged(
  tx: Transaction,
  { tenantId, executionId, stepId, attempt }: ChargeKey,
  charge: { chargedMicros: bigint | 'reserved'; inputTokens: number | null; outputTokens: number | null },
): Promise<void> {
  const { chargedMicros, ...tokens } = charge
  await tx
    .updateTable('executionCharges')
    .set((e) => ({
      ...tokens,
      chargedMicros: chargedMicros === 'reserved' ? e.ref('reservedMicros') : Number(chargedMicros),
      settledAt: sql<Date>`clock_timestamp()`,
    }))
    .where('tenantId', '=', tenantId)
    .where('executionId', '=', executionId)
    .where('stepId', '=', stepId)
    .where('attempt', '=', attempt)
    .where('chargedMicros', 'is', null)
    .execute()
}

/** The cost of an execution so far; open reservations count as spent. */
export async function sumCharges(
  tx: Transaction,
  tenantId: string,
  executionId: string,
): Promise<{ micros: bigint; inputTokens: number; outputTokens: number; calls: number; currency: string | null }> {
  const [row] = await charges(tx, { tenantId, executionId })
  if (row === undefined) throw new Error('unreachable: a sum without groups has one row')
  return { ...row, micros: BigInt(row.micros) }
}

const charges = fixedStatement({ tenantId: '', executionId: '' }, (tx, { tenantId, executionId }) =>
  tx
    .selectFrom('executionCharges')
    .select((e) => [
      sql<string>`coalesce(sum(coalesce(charged_micros, reserved_micros)), 0)::text`.as('micros'),
      sql<number>`coalesce(sum(input_tokens), 0)::integer`.as('inputTokens'),
      sql<number>`coalesce(sum(output_tokens), 0)::integer`.as('outputTokens'),
      sql<number>`count(*)::integer`.as('calls'),
      e.fn.max('currency').as('currency'),
    ])
    .where('tenantId', '=', tenantId)
    .where('executionId', '=', executionId),
)
