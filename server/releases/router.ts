import { procedure, router } from '#server/kernel/trpc.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { propose } from './propose.ts'

export const releases = router({
  get: procedure.query(get),
  list: procedure.query(list),
  propose: procedure.mutation(propose),
})
