import { type PersonalLanguage, sourceLanguage } from '#lib/languages.ts'
import { Branding } from '#lib/schemas/tenants.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { listLanguages } from './language-store.ts'

/** The language in which each of these members reads mail: their own, or else the organisation's, or else English. */
export async function languagesOf(
  tx: Transaction,
  { id, branding }: Pick<Tenant, 'id' | 'branding'>,
  memberIds: readonly string[],
): Promise<(memberId: string) => PersonalLanguage> {
  const own = await listLanguages(tx, id, memberIds)
  const usual = Branding.parse(branding).language ?? sourceLanguage
  return (memberId) => own.get(memberId) ?? usual
}

/** As `languagesOf`, of one member. */
export const languageOf = async (
  tx: Transaction,
  tenant: Pick<Tenant, 'id' | 'branding'>,
  memberId: string,
): Promise<PersonalLanguage> => (await languagesOf(tx, tenant, [memberId]))(memberId)
