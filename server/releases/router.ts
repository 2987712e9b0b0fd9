import { procedure, router } from '#server/kernel/trpc.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { propose } from './propose.ts'
import { revoke } from './revoke.ts'
import { withdraw } from './withdraw.ts'

export const releases = router({
  get: procedure.query(get),
  list: procedure.query(list),
  propose: procedure.mutation(propose),
  revoke: procedure.mutation(revoke),
  withdraw: procedure.mutation(withdraw),
})
