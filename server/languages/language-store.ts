import type { PersonalLanguage } from '#lib/languages.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** What these members chose for themselves, by their ids; without those that did not choose. */
export async function listLanguages(
  tx: Transaction,
  tenantId: string,
  memberIds: readonly string[],
): Promise<Map<string, PersonalLanguage>> {
  if (memberIds.length === 0) return new Map()
  const rows = await tx
    .selectFrom('memberLanguages')
    .select(['memberId', 'language'])
    .where('tenantId', '=', tenantId)
    .where('memberId', 'in', [...memberIds])
    .execute()
  // A check of the table allows no others.
  return new Map(rows.map(({ memberId, language }) => [memberId, language as PersonalLanguage]))
}

/** Null: no longer a language of their own. */
export async function setLanguage(
  tx: Transaction,
  tenantId: string,
  memberId: string,
  language: PersonalLanguage | null,
): Promise<void> {
  if (language === null) {
    await tx.deleteFrom('memberLanguages').where('tenantId', '=', tenantId).where('memberId', '=', memberId).execute()
    return
  }
  await tx
    .insertInto('memberLanguages')
    .values({ tenantId, memberId, language })
    .onConflict((conflict) => conflict.columns(['tenantId', 'memberId']).doUpdateSet({ language }))
    .execute()
}
