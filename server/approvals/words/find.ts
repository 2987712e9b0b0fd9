import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { findApprovalsById } from '../list-store.ts'
import { hashesToFind, sayAll, searchedTexts } from './words.ts'
import { findWithWords } from './words-store.ts'

export type FoundApproval = ReturnType<Awaited<ReturnType<typeof findApprovalsById>>['get']> & object

/** Requests with the same beginnings of words as the question, most of which also have its words. */
const candidates = 200
/** So many are decrypted at a time. */
const lot = 20

/** The newest requests whose title, resource, agent or facts have words that begin with each of `words`. */
export async function findBySaying(
  tx: Transaction,
  tenantId: string,
  words: readonly string[],
  limit: number,
): Promise<FoundApproval[]> {
  if (words.length === 0) return []
  const ids = await findWithWords(tx, tenantId, hashesToFind(await tenantCipher(tx, tenantId), words), candidates)
  const found: FoundApproval[] = []
  for (let at = 0; at < ids.length && found.length < limit; at += lot) {
    const some = ids.slice(at, at + lot)
    const rows = await findApprovalsById(tx, tenantId, some)
    for (const id of some) {
      const row = rows.get(id)
      if (row !== undefined && sayAll(searchedTexts(row.presentation), words)) found.push(row)
    }
  }
  return found.slice(0, limit)
}
