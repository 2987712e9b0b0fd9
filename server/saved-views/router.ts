import { procedure, router } from '#server/kernel/trpc.ts'
import { list } from './list.ts'
import { remove } from './remove.ts'
import { save } from './save.ts'

export const savedViews = router({
  list: procedure.query(list),
  remove: procedure.mutation(remove),
  save: procedure.mutation(save),
})
