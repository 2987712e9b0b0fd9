import { procedure, router } from '#server/kernel/trpc.ts'
import { answer } from './answer.ts'
import { ask } from './ask.ts'
import { cancel } from './cancel.ts'
import { decide } from './decide.ts'
import { create as createDelegation } from './delegations/create.ts'
import { end as endDelegation } from './delegations/end.ts'
import { list as listDelegations } from './delegations/list.ts'
import { get } from './get.ts'
import { getPending } from './get-pending.ts'
import { history } from './history.ts'
import { list } from './list.ts'
import { list as listMails } from './mails/list.ts'
import { retry as retryMail } from './mails/retry.ts'
import { oversight } from './oversight.ts'
import { open } from './reading/open.ts'
import { usual } from './repeats/usual.ts'
import { requestChanges } from './revisions/request-changes.ts'
import { watch } from './watch.ts'

export const approvals = router({
  answer: procedure.mutation(answer),
  ask: procedure.mutation(ask),
  cancel: procedure.mutation(cancel),
  decide: procedure.mutation(decide),
  get: procedure.query(get),
  history: procedure.query(history),
  getPending: procedure.query(getPending),
  list: procedure.query(list),
  mails: router({ list: procedure.query(listMails), retry: procedure.mutation(retryMail) }),
  open: procedure.mutation(open),
  oversight: procedure.query(oversight),
  requestChanges: procedure.mutation(requestChanges),
  usualAmounts: procedure.query(usual),
  watch: procedure.subscription(watch),
})

export const delegations = router({
  create: procedure.mutation(createDelegation),
  end: procedure.mutation(endDelegation),
  list: procedure.query(listDelegations),
})
