import { ApiError, notFound } from '#lib/errors.ts'
import { whyNotDecide } from '#lib/rules/approvals.ts'
import { AskInput, AskOutput } from '#lib/schemas/approvals/questions.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { pauseForQuestion } from './clock/pause.ts'
import { findQuestions, insertQuestion } from './question-store.ts'
import { reviewerFacts } from './reviewer.ts'
import { lockApproval } from './store.ts'
import { tellRequester } from './telling/tell-people.ts'

/** More would be a conversation, which has better places. */
const mostQuestions = 20

/** A question of someone who can decide the request, to those who made it. It changes nothing of the request, and stops its clock if its terms say so. */
export const ask = mutation({
  permission: 'approval:decide',
  input: AskInput,
  output: AskOutput,
  audit: (input, output) => ({
    action: 'approval.asked',
    resource: { type: 'approval', id: input.approvalId },
    reason: input.question,
    details: output && { questionId: output.questionId },
  }),
  async run({ tx, tenant, principal, input, auditId }) {
    const { approvalId, question } = input
    const approval = await lockApproval(tx, tenant.id, approvalId)
    if (approval === undefined) throw notFound()
    await requireBound(tx, tenant.id, 'approval', [approvalId])
    const blocked = whyNotDecide(await reviewerFacts(tx, tenant, principal, approval))
    if (blocked?.code === 'already_decided')
      throw new ApiError('already_decided', blocked.message, { details: { status: approval.status } })
    if (blocked !== undefined) throw refuse(blocked.code, blocked.message)
    if ((await findQuestions(tx, tenant.id, approvalId)).length >= mostQuestions)
      throw new ApiError('conflict', `At most ${mostQuestions} questions can be asked about a request.`)
    const id = newId()
    await insertQuestion(tx, { tenantId: tenant.id, approvalId, id, askedBy: principal.memberId, question, auditId })
    await pauseForQuestion(tx, tenant.id, approval)
    await tellRequester(tx, tenant, approval, 'asked')
    notify(tx, 'approval', tenant.id)
    return { questionId: id, auditId }
  },
})
