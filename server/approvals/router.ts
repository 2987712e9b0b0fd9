import { procedure, router } from '#server/kernel/trpc.ts'
import { decide } from './decide.ts'
import { get } from './get.ts'
import { getPending } from './get-pending.ts'
import { list } from './list.ts'

export const approvals = router({
  decide: procedure.mutation(decide),
  get: procedure.query(get),
  getPending: procedure.query(getPending),
  list: procedure.query(list),
})
