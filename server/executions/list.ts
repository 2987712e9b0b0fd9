import { ApiError } from '#lib/errors.ts'
import { ExecutionList, ListExecutionsInput } from '#lib/schemas/executions.ts'
import { findBySaying } from '#server/approvals/words/find.ts'
import { wordsOf } from '#server/approvals/words/words.ts'
import { listExecutions } from '#server/executions/state/store.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { query } from '#server/kernel/operation.ts'
import { findTrace } from '#server/traces/store.ts'
import { summariesOf } from './summaries/summaries.ts'

/** Executions by what they are, who started them, when, and the words of their requests for approval. */
export const list = query({
  permission: 'execution:read',
  input: ListExecutionsInput,
  output: ExecutionList,
  async run({ tx, tenant, principal, input }) {
    const { q, ids: wanted, ...filter } = input
    const named = q === undefined ? undefined : await namedBy(tx, tenant.id, principal, q)
    const ids = wanted === undefined ? named : wanted.filter((id) => named?.includes(id) ?? true)
    const found = await listExecutions(tx, tenant.id, { ...filter, ids, limit: input.limit + 1 })
    const rows = await summariesOf(tx, tenant.id, principal, found)
    const parts = { approval: rows.flatMap(({ decision }) => decision?.approvalId ?? []) }
    return await boundPage(tx, tenant.id, 'execution', { rows, limit: input.limit, idOf: ({ id }) => id, parts })
  },
})

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const traceId = /^[0-9a-f]{32}$/i
/** Requests of which the words are compared. */
const mostRequests = 200

/** The executions with this id, this trace, or requests with these words. */
async function namedBy(tx: Transaction, tenantId: string, principal: Principal, q: string): Promise<string[]> {
  if (uuid.test(q)) return [q.toLowerCase()]
  if (traceId.test(q)) return [(await findTrace(tx, tenantId, q.toLowerCase()))?.executionId ?? []].flat()
  if (!principal.permissions.has('approval:list'))
    throw new ApiError(
      'forbidden',
      'Searching for words needs the permission approval:list. An id can be searched without it.',
      {
        details: { permission: 'approval:list' },
      },
    )
  const found = await findBySaying(tx, tenantId, wordsOf(q), mostRequests)
  return [...new Set(found.flatMap(({ executionId }) => executionId ?? []))]
}
