import type { Transaction } from '#server/kernel/db/database.ts'

export const insertKey = async (
  tx: Transaction,
  row: { tenantId: string; purpose: string; id: string; algorithm: string; publicKey: string; privateKey: Buffer },
): Promise<void> => {
  await tx.insertInto('signingKeys').values(row).execute()
}

/** Current first. */
export const findKeys = (tx: Transaction, tenantId: string, purpose: string) =>
  tx
    .selectFrom('signingKeys')
    .select(['id', 'algorithm', 'publicKey', 'privateKey', 'retiredAt'])
    .where('tenantId', '=', tenantId)
    .where('purpose', '=', purpose)
    .orderBy('retiredAt', (order) => order.desc().nullsFirst())
    .execute()
