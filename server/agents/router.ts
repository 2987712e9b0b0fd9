import { procedure, router } from '#server/kernel/trpc.ts'
import { create } from './create.ts'
import { get } from './get.ts'
import { list } from './list.ts'

export const agents = router({
  create: procedure.mutation(create),
  get: procedure.query(get),
  list: procedure.query(list),
})
