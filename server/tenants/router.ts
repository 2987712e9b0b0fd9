import { procedure, router } from '#server/kernel/trpc.ts'
import { chooseLanguage } from '#server/languages/choose-language.ts'
import { acknowledgeReset } from './acknowledge-reset.ts'
import { current } from './current.ts'
import { list } from './list.ts'
import { me } from './me.ts'
import { updateBranding } from './update-branding.ts'
import { watch } from './watch.ts'

/** `updateSettings` comes from the access domain, because it requests approvals, and approvals depend on tenants. */
export const tenants = router({
  current: procedure.query(current),
  list: procedure.query(list),
  updateBranding: procedure.mutation(updateBranding),
})
export const session = router({
  acknowledgeReset: procedure.mutation(acknowledgeReset),
  chooseLanguage: procedure.mutation(chooseLanguage),
  me: procedure.query(me),
  watch: procedure.subscription(watch),
})
