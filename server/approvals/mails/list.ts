import { notFound } from '#lib/errors.ts'
import { ApprovalMailList, Delivery, ListApprovalMailsInput } from '#lib/schemas/mail.ts'
import { query } from '#server/kernel/operation.ts'
import { findMailsAbout } from '#server/mail/store.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findApproval } from '../store.ts'

/** The mails about a request with their delivery, oldest first. */
export const list = query({
  permission: 'approval:list',
  input: ListApprovalMailsInput,
  output: ApprovalMailList,
  async run({ tx, tenant, input }) {
    if ((await findApproval(tx, tenant.id, input.approvalId)) === undefined) throw notFound()
    const mails = await findMailsAbout(tx, tenant.id, input.approvalId)
    const actor = await actorsById(
      tx,
      tenant.id,
      mails.flatMap(({ memberId }) => memberId ?? []),
    )
    return {
      items: mails.flatMap(({ id, memberId, delivery, error, attempts, createdAt, settledAt, revision }) =>
        memberId === null
          ? []
          : {
              id,
              to: actor(memberId),
              delivery: Delivery.parse(delivery),
              error,
              attempts,
              createdAt: createdAt.toISOString(),
              settledAt: settledAt?.toISOString() ?? null,
              revision,
            },
      ),
    }
  },
})
