import { amountIn } from '#lib/rules/effect.ts'
import { UsualAmounts, UsualAmountsInput } from '#lib/schemas/approvals/usual.ts'
import type { Money } from '#lib/schemas/approvals.ts'
import { query } from '#server/kernel/operation.ts'
import { findShapes, listDecidedOf } from './history-store.ts'
import { comparedDecisions, usualAmounts } from './usual-amounts.ts'

/** What people usually approve for the actions of these requests, for lists. approvals.history has the amounts themselves. */
export const usual = query({
  permission: 'approval:list',
  input: UsualAmountsInput,
  output: UsualAmounts,
  async run({ tx, tenant, input: { approvalIds } }) {
    const requests = await findShapes(tx, tenant.id, [...new Set(approvalIds)])
    const approved = new Map<string, (Money | null)[]>()
    const shapes = requests.flatMap(({ shape, presentation }) =>
      shape !== null && amountIn(presentation.arguments) !== null ? [shape] : [],
    )
    for (const { shape, status, presentation } of await listDecidedOf(
      tx,
      tenant.id,
      [...new Set(shapes)],
      comparedDecisions,
    )) {
      if (status !== 'approved') continue
      const amounts = approved.get(shape) ?? []
      amounts.push(amountIn(presentation.arguments))
      approved.set(shape, amounts)
    }
    return {
      items: requests.flatMap(({ id, shape, presentation }) => {
        const found = usualAmounts(amountIn(presentation.arguments)?.currency, approved.get(shape ?? '') ?? [])
        if (found === null) return []
        const { currency, low, median, high } = found
        return [{ approvalId: id, usual: { currency, low, median, high } }]
      }),
    }
  },
})
