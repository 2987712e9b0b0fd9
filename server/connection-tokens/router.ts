import { procedure, router } from '#server/kernel/trpc.ts'
import { create } from './create.ts'
import { list } from './list.ts'
import { revoke } from './revoke.ts'

export const connectionTokens = router({
  create: procedure.mutation(create),
  list: procedure.query(list),
  revoke: procedure.mutation(revoke),
})
