import { FindInput, FindOutput, FoundKind } from '#lib/schemas/lists/search.ts'
import { findBySaying } from '#server/approvals/words/find.ts'
import { wordsOf } from '#server/approvals/words/words.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { query } from '#server/kernel/operation.ts'
import { finders, requestsPerExecution } from './finders.ts'
import { idForms } from './id-forms.ts'
import { kindsOfId } from './store.ts'

/**
 * What the caller may read with this id, or else the newest of each kind that have these words. Words are compared from their
 * beginning, without case and accents.
 */
export const find = query({
  permission: 'any',
  input: FindInput,
  output: FindOutput,
  async run({ tx, tenant, principal, input: { q, kinds, limit } }) {
    const asked = [...(kinds === undefined ? FoundKind.options : new Set(kinds))].filter((kind) =>
      finders[kind].permissions.every((one) => principal.permissions.has(one)),
    )
    const id = q.toLowerCase()
    const withId = await kindsWith(tx, tenant.id, id)
    const named = await Promise.all(
      asked
        .filter((kind) => withId.has(kind))
        .map(async (kind) => {
          const hit = await finders[kind].named(tx, tenant.id, id)
          return hit === undefined ? [] : [{ kind, ...hit }]
        }),
    )
    // A person who enters the id of something means that, and not what mentions it.
    if (named.some((hits) => hits.length > 0)) return { items: named.flat() }
    const words = wordsOf(q)
    if (words.length === 0) return { items: [] }
    let found: ReturnType<typeof findBySaying> | undefined
    // Read once: they are what approvals and executions are found by.
    const requests = () => {
      found ??= findBySaying(tx, tenant.id, words, asked.includes('execution') ? requestsPerExecution * limit : limit)
      return found
    }
    const saying = asked.map(async (kind) =>
      (await finders[kind].saying({ tx, tenantId: tenant.id, words, limit, requests })).map((one) => ({
        kind,
        ...one,
      })),
    )
    return { items: (await Promise.all(saying)).flat() }
  },
})

/** The kinds of which an object may have this id. */
async function kindsWith(tx: Transaction, tenantId: string, id: string): Promise<ReadonlySet<FoundKind>> {
  if (idForms.traceId.test(id)) return new Set(['trace'])
  return idForms.uuid.test(id) ? await kindsOfId(tx, tenantId, id) : new Set()
}
