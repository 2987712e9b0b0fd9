import { LRUCache } from 'lru-cache'
import { type SaidRow, saidRow } from '#lib/audit/file.ts'
import { keyOf, objectsOf } from '#lib/audit/object-names.ts'
import type { ApiError } from '#lib/errors.ts'
import { listWhatIsShown } from '#server/audit/list-store.ts'
import { auditRecordView } from '#server/audit/view.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { watchCaller } from '#server/kernel/auth/watch.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { namesOf } from '#server/search/names.ts'

/** Records in one part. Each part is a transaction of its own, so that a slow reader holds none. */
export const partSize = 500
/** Names that are remembered from part to part: most records name a few people and agents. */
const mostNames = 5_000

type Filter = {
  actorId?: string | undefined
  action?: string | undefined
  resourceId?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Returns the records that match, newest first, in parts. Throws when the caller loses the right to read them. */
export async function* recordsInParts(
  caller: Caller,
  { from, to, ...filter }: Filter,
): AsyncGenerator<SaidRow[], undefined, undefined> {
  const { tenant, principal } = caller
  const names = new LRUCache<string, { name: string | undefined }>({ max: mostNames })
  const period = {
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  }
  let before: { date: string; seq: number } | undefined
  let lost: ApiError | undefined
  const stopWatching = watchCaller(caller, (error) => {
    lost = error
  })
  try {
    for (;;) {
      const page = { ...filter, ...period, limit: partSize, before }
      const part = await runtime().database.inTenant(tenant.id, async (tx) => {
        const rows = (await listWhatIsShown(tx, tenant.id, page)).map(auditRecordView)
        const unknown = objectsOf(rows).filter((object) => !names.has(keyOf(object)))
        const found = new Map((await namesOf(tx, tenant.id, principal, unknown)).map((one) => [keyOf(one), one.name]))
        for (const object of unknown) names.set(keyOf(object), { name: found.get(keyOf(object)) })
        return rows.map((row) => saidRow(row, (object) => names.get(keyOf(object))?.name ?? found.get(keyOf(object))))
      })
      if (lost !== undefined) throw lost
      const last = part.at(-1)
      if (last === undefined) return
      yield part
      if (part.length < partSize) return
      before = { date: last.date, seq: last.seq }
    }
  } finally {
    stopWatching()
  }
}
