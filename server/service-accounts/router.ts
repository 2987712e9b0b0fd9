import { procedure, router } from '#server/kernel/trpc.ts'
import { create } from './create.ts'
import { disable } from './disable.ts'
import { enable } from './enable.ts'
import { list } from './list.ts'
import { rotateSecret } from './rotate-secret.ts'

export const serviceAccounts = router({
  create: procedure.mutation(create),
  disable: procedure.mutation(disable),
  enable: procedure.mutation(enable),
  list: procedure.query(list),
  rotateSecret: procedure.mutation(rotateSecret),
})
