import { sql } from 'kysely'
import type { Presentation } from '#lib/schemas/approvals.ts'
import { present } from '#server/kernel/content/committed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { presentationOf } from '../store.ts'
import { hashesOf, searchedTexts } from './words.ts'

/** In `word`: the request has still to be read. A trigger writes it for each request (migration 0091). */
const unread = '0'

/** Makes a request findable by what it shows. */
export async function insertWords(tx: Transaction, tenantId: string, id: string, shown: Presentation): Promise<void> {
  await writeWords(tx, tenantId, id, hashesOf(await tenantCipher(tx, tenantId), searchedTexts(shown)))
}

async function writeWords(tx: Transaction, tenantId: string, id: string, words: readonly bigint[]): Promise<void> {
  if (words.length > 0)
    await sql`insert into approval_words (tenant_id, approval_id, word)
      select ${tenantId}, ${id}, unnest(${words.map(String)}::bigint[]) on conflict do nothing`.execute(tx)
  await sql`delete from approval_words where tenant_id = ${tenantId} and word = ${unread} and approval_id = ${id}`.execute(
    tx,
  )
}

/** Reads some requests that can't be found yet. Returns whether there may be more of them. */
export async function fillWords(tx: Transaction, tenantId: string, limit: number): Promise<boolean> {
  const { rows } = await sql<{ id: string; presentation: Buffer | null }>`
    select approval.id, approval.presentation
    from approval_words waiting
    join approvals approval on approval.tenant_id = waiting.tenant_id and approval.id = waiting.approval_id
    where waiting.tenant_id = ${tenantId} and waiting.word = ${unread}
    order by waiting.approval_id limit ${limit} for update of waiting skip locked`.execute(tx)
  const cipher = await tenantCipher(tx, tenantId)
  for (const row of rows) await writeWords(tx, tenantId, row.id, hashesOf(cipher, textsOf(cipher, row)))
  return rows.length === limit
}

/** None of an erased or a changed row: reading it reports the change. */
function textsOf(cipher: TenantCipher, row: { id: string; presentation: Buffer | null }): string[] {
  if (present(row.presentation) === null) return []
  try {
    return searchedTexts(presentationOf(cipher, row))
  } catch {
    return []
  }
}

/** The words of a question are common if more requests than this have each of them. */
const many = 5000

/**
 * The newest requests that have all hashes. When each hash is in very many requests, only the newest of those with the rarest one are
 * searched, so that a question takes a bounded time.
 *
 * Both queries ask for a range of one hash (`between`) in the order of the primary key, so that PostgreSQL must use that index. With `=`, it
 * may read the index of requests, newest first, past any number of requests without the word.
 */
export async function findWithWords(
  tx: Transaction,
  tenantId: string,
  words: readonly bigint[],
  limit: number,
): Promise<string[]> {
  const { rows: counted } = await sql<{ word: string }>`
    select asked.word::text as word from unnest(${words.map(String)}::bigint[]) asked (word)
    cross join lateral (
      select count(*) as count from (
        select from approval_words w where w.tenant_id = ${tenantId} and w.word between asked.word and asked.word
        order by w.word desc, w.approval_id desc limit ${many}) newest) found
    order by found.count`.execute(tx)
  const [rarest, ...others] = counted.map(({ word }) => word)
  if (rarest === undefined) return []
  const { rows } = await sql<{ id: string }>`
    select newest.approval_id as id from (
      select approval_id from approval_words where tenant_id = ${tenantId} and word between ${rarest} and ${rarest}
      order by word desc, approval_id desc limit ${many}) newest
    -- A value per row, so that PostgreSQL looks each of them up and does not read all requests with the other words.
    where (
      select count(*) from unnest(${others}::bigint[]) other (word)
      where (
        select true from approval_words w
        where w.tenant_id = ${tenantId} and w.word = other.word and w.approval_id = newest.approval_id)
    ) = ${others.length}
    order by newest.approval_id desc limit ${limit}`.execute(tx)
  return rows.map(({ id }) => id)
}
