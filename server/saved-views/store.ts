import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

type Row = {
  tenantId: string
  id: string
  list: string
  ownerId: string
  name: string
  search: Record<string, string>
  shared: boolean
}

/** Returns the id of the view that now has this name. */
export async function saveView(tx: Transaction, { search, ...row }: Row): Promise<string> {
  const { id } = await tx
    .insertInto('savedViews')
    .values({ ...row, search: json(search) })
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'list', 'ownerId', 'name'])
        .doUpdateSet({ search: json(search), shared: row.shared }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The owner's views of a list, and the shared ones, by name. */
export const findViews = (tx: Transaction, tenantId: string, list: string, ownerId: string) =>
  tx
    .selectFrom('savedViews')
    .select(['id', 'ownerId', 'name', 'search', 'shared'])
    .where('tenantId', '=', tenantId)
    .where('list', '=', list)
    .where((e) => e.or([e('ownerId', '=', ownerId), e('shared', '=', true)]))
    .orderBy('name')
    .orderBy('id')
    .limit(mostShown)
    .execute()

const mostShown = 200

export async function countViews(tx: Transaction, tenantId: string, list: string, ownerId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('savedViews')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('tenantId', '=', tenantId)
    .where('list', '=', list)
    .where('ownerId', '=', ownerId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const findView = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('savedViews')
    .select(['id', 'ownerId', 'shared'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

export async function deleteView(tx: Transaction, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('savedViews').where('tenantId', '=', tenantId).where('id', '=', id).execute()
}
