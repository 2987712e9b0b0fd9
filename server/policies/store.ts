import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { pageLimit } from '#server/kernel/db/statements/steady-plan.ts'

// ---------------------------------------------------------------- policies and their versions

const policyRows = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('policies as policy')
    .selectAll('policy')
    .select((e) =>
      e
        .selectFrom('policyVersions as version')
        .select((v) => v.fn.max('version.version').as('latest'))
        .where('version.tenantId', '=', tenantId)
        .whereRef('version.policyId', '=', 'policy.id')
        .where('version.status', '=', 'published')
        .as('latestPublishedVersion'),
    )
    .where('policy.tenantId', '=', tenantId)

export type PolicyRow = NonNullable<Awaited<ReturnType<typeof findPolicy>>>

export const findPolicy = (tx: Transaction, tenantId: string, id: string) =>
  policyRows(tx, tenantId).where('policy.id', '=', id).executeTakeFirst()

export const listPolicies = (tx: Transaction, tenantId: string, limit: number, cursor: string | undefined) =>
  policyRows(tx, tenantId)
    .$if(cursor !== undefined, (q) => q.where('policy.id', '<', cursor ?? ''))
    .orderBy('policy.id', 'desc')
    .limit(pageLimit(limit))
    .execute()

/** Of very many policies, the newest are searched. */
const mostSearched = 5000

/** The newest whose names or descriptions contain all words, which are in lower case. */
export const listPoliciesSaying = (tx: Transaction, tenantId: string, words: readonly string[], limit: number) =>
  policyRows(tx, tenantId)
    .where('policy.id', 'in', (e) =>
      e.selectFrom('policies').select('id').where('tenantId', '=', tenantId).orderBy('id', 'desc').limit(mostSearched),
    )
    .where(
      sql<boolean>`not exists (
        select from unnest(${[...words]}::text[]) word (text)
        where position(word.text in lower(policy.name || ' ' || policy.description)) = 0)`,
    )
    .orderBy('policy.id', 'desc')
    .limit(limit)
    .execute()

/** Returns the creation time, or undefined when the name is taken. */
export const insertPolicy = (
  tx: Transaction,
  row: { tenantId: string; id: string; name: string; description: string; createdBy: string },
) =>
  tx
    .insertInto('policies')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenantId', 'name']).doNothing())
    .returning('createdAt')
    .executeTakeFirst()

/** Serializes the numbering of a policy's versions. */
export const lockPolicy = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('policies')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export type VersionRow = Awaited<ReturnType<typeof insertVersion>>

const versionRows = (tx: Transaction, tenantId: string, policyId: string) =>
  tx.selectFrom('policyVersions').selectAll().where('tenantId', '=', tenantId).where('policyId', '=', policyId)

export const findVersion = (tx: Transaction, tenantId: string, policyId: string, version: number) =>
  versionRows(tx, tenantId, policyId).where('version', '=', version).executeTakeFirst()

/** Newest first, older than version `before`. */
export const listVersions = (tx: Transaction, tenantId: string, policyId: string, limit: number, before?: number) =>
  versionRows(tx, tenantId, policyId)
    .$if(before !== undefined, (q) => q.where('version', '<', before ?? 0))
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()

export const insertVersion = (
  tx: Transaction,
  row: { tenantId: string; policyId: string; version: number; source: string; digest: string; createdBy: string },
) =>
  tx
    .insertInto('policyVersions')
    .values({ ...row, status: 'draft' })
    .returningAll()
    .executeTakeFirstOrThrow()

/** draft → published. Undefined when the version is not a draft. */
export const setVersionPublished = (tx: Transaction, tenantId: string, policyId: string, version: number) =>
  tx
    .updateTable('policyVersions')
    .set({ status: 'published', publishedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('policyId', '=', policyId)
    .where('version', '=', version)
    .where('status', '=', 'draft')
    .returningAll()
    .executeTakeFirst()
