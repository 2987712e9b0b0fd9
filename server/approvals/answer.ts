import { ApiError, notFound } from '#lib/errors.ts'
import { AnswerInput, AnswerOutput } from '#lib/schemas/approvals/questions.ts'
import { requireBound, requireBoundBelow } from '#server/kernel/bound/check.ts'
import { notify } from '#server/kernel/db/notify.ts'
import { mutation, refuse } from '#server/kernel/operation.ts'
import { resumeAfterAnswer } from './clock/pause.ts'
import { findQuestions, hasMade, setAnswered } from './question-store.ts'
import { lockApproval } from './store.ts'
import { tellMembers } from './telling/tell-people.ts'

/** The answer to a reviewer's question, by someone who made the request; once, while the request is pending. */
export const answer = mutation({
  permission: 'approval:list',
  input: AnswerInput,
  output: AnswerOutput,
  audit: (input) => ({
    action: 'approval.answered',
    resource: { type: 'approval', id: input.approvalId },
    reason: input.answer,
    details: { questionId: input.questionId },
  }),
  async run({ tx, tenant, principal, input, auditId }) {
    const { approvalId, questionId } = input
    const approval = await lockApproval(tx, tenant.id, approvalId)
    if (approval === undefined) throw notFound()
    await requireBound(tx, tenant.id, 'approval', [approvalId])
    await requireBoundBelow(tx, tenant.id, 'approval_question', approvalId)
    if (!hasMade(approval, principal.memberId))
      throw refuse('not_eligible', 'Only those who made this request can answer questions about it.')
    if (approval.status !== 'pending')
      throw new ApiError('already_decided', 'This request is no longer pending.', {
        details: { status: approval.status },
      })
    const asked = await findQuestions(tx, tenant.id, approvalId)
    if (asked.every(({ id }) => id !== questionId)) throw notFound()
    const given = { answeredBy: principal.memberId, answer: input.answer, answerAuditId: auditId }
    if (!(await setAnswered(tx, tenant.id, { approvalId, id: questionId }, given)))
      throw new ApiError('conflict', 'This question has been answered.')
    const others = asked.filter(({ id }) => id !== questionId)
    if (others.every(({ answeredAt }) => answeredAt !== null)) await resumeAfterAnswer(tx, tenant.id, approval)
    const askedBy = asked.find(({ id }) => id === questionId)?.askedBy
    if (askedBy !== undefined) await tellMembers(tx, tenant, approval, [askedBy], 'answered')
    notify(tx, 'approval', tenant.id)
    return { questionId, auditId }
  },
})
