import { FindInput, FindOutput, FoundKind } from '#lib/schemas/lists/search.ts'
import { wordsOf } from '#server/approvals/words/words.ts'
import { query } from '#server/kernel/operation.ts'
import { finders } from './finders.ts'

/**
 * What the caller may read that has these words, or this id: the newest of each kind. Words are compared from their beginning,
 * without case and accents.
 */
export const find = query({
  permission: 'any',
  input: FindInput,
  output: FindOutput,
  async run({ tx, tenant, principal, input: { q, kinds, limit } }) {
    const words = wordsOf(q)
    const items = []
    for (const kind of kinds === undefined ? FoundKind.options : new Set(kinds)) {
      const finder = finders[kind]
      if (!finder.permissions.every((one) => principal.permissions.has(one))) continue
      const named = finder.id.test(q) ? await finder.named(tx, tenant.id, q.toLowerCase()) : undefined
      if (named !== undefined) items.push({ kind, ...named })
      else if (words.length > 0)
        items.push(...(await finder.saying(tx, tenant.id, words, limit)).map((one) => ({ kind, ...one })))
    }
    return { items }
  },
})
