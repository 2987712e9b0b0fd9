import { procedure, router } from '#server/kernel/trpc.ts'
import { beginConfirmation } from './begin-confirmation.ts'
import { beginRegistration } from './begin-registration.ts'
import { finishRegistration } from './finish-registration.ts'
import { list } from './list.ts'
import { remove } from './remove.ts'

export const passkeys = router({
  beginConfirmation: procedure.mutation(beginConfirmation),
  beginRegistration: procedure.mutation(beginRegistration),
  finishRegistration: procedure.mutation(finishRegistration),
  list: procedure.query(list),
  remove: procedure.mutation(remove),
})
